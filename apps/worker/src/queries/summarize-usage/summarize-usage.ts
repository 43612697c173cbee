import type { summarizeUsage as contract, UsageFigures } from '@gateway/contracts';
import type { ParsedRequestOf, ReplyOf } from '@gateway/messaging';
import { queryAccountLog } from '../../persistence/account-log.ts';
import type { TelemetryDatabase } from '../../persistence/telemetry-database.ts';
import { usageColumns } from '../usage-columns.ts';

const sql = `SELECT count(DISTINCT session_id)::float8 AS sessions, ${usageColumns} FROM own`;

/** An account's usage in a span of time; zeros when there was none. */
export async function summarizeUsage(
  database: TelemetryDatabase,
  span: ParsedRequestOf<typeof contract>,
): Promise<ReplyOf<typeof contract>> {
  const [row] = await queryAccountLog<UsageFigures & { sessions: number }>(database, span, sql);
  if (row === undefined) throw new Error('an aggregate without a GROUP BY has one row');
  const { sessions, ...figures } = row;
  return { figures, sessions };
}
