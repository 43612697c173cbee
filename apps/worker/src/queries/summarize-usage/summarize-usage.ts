import type { summarizeUsage as contract, UsageFigures } from '@gateway/contracts';
import type { ParsedRequestOf, ReplyOf } from '@gateway/messaging';
import { queryAccountUsage } from '../../persistence/account-usage.ts';
import type { TelemetryDatabase } from '../../persistence/telemetry-database.ts';
import { usedColumns } from '../usage-columns.ts';

const sql = `SELECT ${usedColumns} FROM used`;

/** An account's usage in a span of time; zeros when there was none. */
export async function summarizeUsage(
  database: TelemetryDatabase,
  span: ParsedRequestOf<typeof contract>,
): Promise<ReplyOf<typeof contract>> {
  const [figures] = await queryAccountUsage<UsageFigures>(database, span, sql);
  if (figures === undefined) throw new Error('an aggregate without a GROUP BY has one row');
  return { figures };
}
