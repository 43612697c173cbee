import { headsMax, type AccountHead, type RecoveryRate } from '@gateway/contracts';
import type { TelemetryDatabase } from '../../persistence/telemetry-database.ts';
import { boundRecallAbove, type ShadowSample } from './measure-bucket.ts';
import { raiseK, type LearnedMeasurements, type Measurements, type PolicyBucket } from './policy-bucket.ts';
import { spanOf } from './read-measurements.ts';
import { readConversations } from './learn/read-conversations.ts';
import { trainHead } from './learn/train-head.ts';

/** Minimum number of conversations with which a calibrated bucket may use the K with account heads of all intents. */
const learnedMin = 20;
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
  previous: { readonly heads?: readonly AccountHead[]; readonly recoveryRate: RecoveryRate } | null,
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

/**
 * Decides whether a bucket uses account heads, and with which K. A bucket with too few conversations that were measured
 * with account heads uses the K of the bucket for all intents. If the bucket is calibrated without account heads, its
 * conversations with account heads must also meet the target on average.
 */
export function decideLearned(
  own: PolicyBucket,
  pooled: PolicyBucket | undefined,
  plain: PolicyBucket,
  recallTarget: number,
): LearnedMeasurements | null {
  const [mine, band] = [own.learned ?? null, pooled?.learned ?? null];
  if (band?.state !== 'calibrated' || (mine !== null && mine.reason !== 'too_few_samples')) {
    const decided = mine ?? band;
    return decided && { ...decided, isUsed: isSmaller(decided, plain, decided.isUsed) };
  }
  const hasOwn = own.state === 'calibrated';
  const learned = raiseK(band, mine, (samples, lost) =>
    hasOwn ? lost <= (1 - recallTarget) * samples : boundRecallAbove(samples, lost) >= recallTarget,
  );
  const isMeasured = !hasOwn || (mine?.samples ?? 0) >= learnedMin;
  return { ...learned, isUsed: isMeasured && isSmaller(learned, plain, band.isUsed) };
}

/**
 * Whether K is smaller with account heads. A bucket that uses account heads keeps them at an equal K. The K without
 * recovery does not count, because conversations without recovery use the ranker with the smaller one.
 */
export function isSmaller(
  learned: Pick<PolicyBucket, 'state' | 'k'>,
  plain: Pick<PolicyBucket, 'state' | 'k'>,
  isUsed: boolean,
): boolean {
  if (learned.state !== 'calibrated' || plain.state === 'off' || learned.k === null) return false;
  const k = plain.k ?? Infinity;
  return isUsed ? learned.k <= k : learned.k < k;
}
