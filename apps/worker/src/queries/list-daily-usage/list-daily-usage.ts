import type { listDailyUsage as contract, UsageDay } from '@gateway/contracts';
import type { ParsedRequestOf, ReplyOf } from '@gateway/messaging';
import { queryAccountLog } from '../../persistence/account-log.ts';
import type { TelemetryDatabase } from '../../persistence/telemetry-database.ts';
import { dayOfRow, usageColumns } from '../usage-columns.ts';

const sql = `SELECT 'usage.day' AS object, ${dayOfRow} AS date, ${usageColumns} FROM own GROUP BY date ORDER BY date`;

/** An account's usage by day. Days without requests are left out. */
export async function listDailyUsage(
  database: TelemetryDatabase,
  span: ParsedRequestOf<typeof contract>,
): Promise<ReplyOf<typeof contract>> {
  return { days: await queryAccountLog<UsageDay>(database, span, sql) };
}
