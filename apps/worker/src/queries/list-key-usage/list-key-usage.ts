import type { KeyUsage, listKeyUsage as contract } from '@gateway/contracts';
import type { ParsedRequestOf, ReplyOf } from '@gateway/messaging';
import { queryAccountUsage } from '../../persistence/account-usage.ts';
import type { TelemetryDatabase } from '../../persistence/telemetry-database.ts';
import { usedColumns } from '../usage-columns.ts';

const keysMax = 1_000;
const sql = `
  SELECT 'usage.key' AS object, key_id, ${usedColumns}
  FROM used GROUP BY key_id ORDER BY requests DESC, key_id LIMIT ${keysMax}`;

/** An account's usage by key, the most used first. */
export async function listKeyUsage(
  database: TelemetryDatabase,
  span: ParsedRequestOf<typeof contract>,
): Promise<ReplyOf<typeof contract>> {
  return { keys: await queryAccountUsage<Omit<KeyUsage, 'name'>>(database, span, sql) };
}
