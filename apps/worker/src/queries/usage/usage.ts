import type {
  KeyUsage,
  UsageDay,
  UsageFigures,
  listDailyUsage as listDailyUsageContract,
  listKeyUsage as listKeyUsageContract,
  summarizeUsage as summarizeUsageContract,
} from '@gateway/contracts';
import type { ParsedRequestOf, ReplyOf } from '@gateway/messaging';
import { queryAccountUsage } from '../../persistence/account-log.ts';
import type { TelemetryDatabase } from '../../persistence/telemetry-database.ts';
import { dayOf, usedColumns } from './usage-columns.ts';

const totalSql = `SELECT ${usedColumns} FROM used`;

/**
 * Returns an account's usage in a time span. If the time span has no requests, all usage figures are zero.
 */
export async function summarizeUsage(
  database: TelemetryDatabase,
  span: ParsedRequestOf<typeof summarizeUsageContract>,
): Promise<ReplyOf<typeof summarizeUsageContract>> {
  const [figures] = await queryAccountUsage<UsageFigures>(database, span, totalSql);
  if (figures === undefined) throw new Error('an aggregate without a GROUP BY has one row');
  return { figures };
}

const daysSql = `SELECT 'usage.day' AS object, ${dayOf('at')} AS date, ${usedColumns} FROM used GROUP BY date ORDER BY date`;

/** Lists an account's usage per day. The list omits days without requests. */
export async function listDailyUsage(
  database: TelemetryDatabase,
  span: ParsedRequestOf<typeof listDailyUsageContract>,
): Promise<ReplyOf<typeof listDailyUsageContract>> {
  return { days: await queryAccountUsage<UsageDay>(database, span, daysSql) };
}

const keysMax = 1_000;
const keysSql = `
  SELECT 'usage.key' AS object, key_id, ${usedColumns}
  FROM used GROUP BY key_id ORDER BY requests DESC NULLS LAST, key_id LIMIT ${keysMax}`;

/** Lists an account's usage per API key, most used key first. */
export async function listKeyUsage(
  database: TelemetryDatabase,
  span: ParsedRequestOf<typeof listKeyUsageContract>,
): Promise<ReplyOf<typeof listKeyUsageContract>> {
  return { keys: await queryAccountUsage<Omit<KeyUsage, 'name'>>(database, span, keysSql) };
}
