import { headsMax, type AccountHead } from '@gateway/contracts';
import type { TelemetryDatabase } from '../../persistence/telemetry-database.ts';
import type { Calibration, Measurements } from './make-policy.ts';
import type { ShadowSample } from './measure-bucket.ts';
import { spanOf } from './read-measurements.ts';
import { readConversations } from './learn/read-conversations.ts';
import { trainHead } from './learn/train-head.ts';

/** Minimum number of measured conversations of a tool list with an account head of its own. */
const ownMin = 5;
/** Minimum number of new conversations, and their minimum share of the learned ones, before a head is trained again. */
const [newMin, newShare] = [5, 0.2];

/**
 * Returns the account heads of an account's most used tool lists. A head is trained again only if enough
 * conversations were measured since the last training.
 */
export async function learnHeads(
  database: TelemetryDatabase,
  accountId: string,
  { samples }: Measurements,
  previous: Calibration | null,
  nowMs: number,
): Promise<AccountHead[]> {
  const called = samples.filter(({ neededKs }) => neededKs.length > 0);
  const lists = [...Map.groupBy(called, ({ setup }) => setup[0] ?? '')]
    .filter(([list, own]) => list !== '' && own.length >= ownMin)
    .sort(([, one], [, other]) => other.length - one.length)
    .slice(0, headsMax)
    .map(([list]) => ({ list, head: previous?.heads?.find((each) => each.list === list) }));
  if (lists.every(({ head }) => !isDue(head, called))) return lists.flatMap(({ head }) => head ?? []);
  const conversations = await readConversations(database, spanOf(accountId, nowMs), {
    share: called[0]?.share ?? 0,
    recoveryRate: previous?.recoveryRate.used ?? 0,
  });
  const heads: AccountHead[] = [];
  for (const { list, head } of lists) {
    const trained = isDue(head, called)
      ? await trainHead(list, conversations, new Date(nowMs).toISOString())
      : head;
    if (trained !== undefined && trained !== null) heads.push(trained);
  }
  return heads;
}

/** Whether enough conversations were measured since a head was trained, or no head was trained yet. */
export function isDue(head: AccountHead | undefined, samples: readonly ShadowSample[]): boolean {
  if (head === undefined) return true;
  const added = samples.filter(({ at }) => at > head.madeAt).length;
  return added >= Math.max(newMin, newShare * head.conversations);
}
