import type { getRoutingPolicy as contract } from '@gateway/contracts';
import type { ParsedRequestOf, ReplyOf } from '@gateway/messaging';
import { readCalibration } from '../../jobs/calibrate/calibrate.ts';
import { renderPolicy } from '../../jobs/calibrate/make-policy.ts';
import type { TelemetryDatabase } from '../../persistence/telemetry-database.ts';

/** One policy of an account, as the router plans by it. */
export async function getRoutingPolicy(
  database: TelemetryDatabase,
  { accountId, version }: ParsedRequestOf<typeof contract>,
): Promise<ReplyOf<typeof contract>> {
  const wanted = version === null ? null : Number(/^c([1-9]\d{0,8})$/.exec(version)?.[1]);
  if (Number.isNaN(wanted)) return { policy: null };
  const kept = await readCalibration(database, accountId, wanted);
  return { policy: kept && renderPolicy(accountId, kept.version, kept.madeAt, kept) };
}
