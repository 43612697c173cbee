import type { listDailyUsage as contract, UsageDay } from '@gateway/contracts';
import type { ParsedRequestOf, ReplyOf } from '@gateway/messaging';
import { queryAccountUsage } from '../../persistence/account-usage.ts';
import type { TelemetryDatabase } from '../../persistence/telemetry-database.ts';
import { dayOf, usedColumns } from '../usage-columns.ts';

const sql = `SELECT 'usage.day' AS object, ${dayOf('at')} AS date, ${usedColumns} FROM used GROUP BY date ORDER BY date`;

/** An account's usage by day. Days without requests are left out. */
export async function listDailyUsage(
  database: TelemetryDatabase,
  span: ParsedRequestOf<typeof contract>,
): Promise<ReplyOf<typeof contract>> {
  return { days: await queryAccountUsage<UsageDay>(database, span, sql) };
}
