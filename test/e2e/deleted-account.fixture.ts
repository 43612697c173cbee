import type { StackUnderTest } from '@gateway/testing';
import pg from 'pg';

/**
 * Tables that may still contain the id of a deleted account, as `<database>.<table>`. A comment above the
 * table names gives the reason.
 */
const tombstones = new Set([
  // Tables that store the deletion and its progress.
  'account.account_deletions',
  // Tables that prevent the storage of events that arrive after the deletion.
  'vault.forgotten_accounts',
  'billing.forgotten_accounts',
  'telemetry.forgotten_accounts',
  // The audit log for secret access contains only ids. The operator decides how long this audit log is kept.
  'vault.credential_audit',
]);

/** Returns every table in every database that has a row with one of these ids, as `<database>.<table>`. */
export async function findRowsNaming(stack: StackUnderTest, ids: readonly string[]): Promise<string[]> {
  const { account, vault, billing, telemetry } = stack.dev.postgres;
  const found: string[] = [];
  for (const [name, url] of Object.entries({ account, vault, billing, telemetry })) {
    const client = new pg.Client({ connectionString: url });
    await client.connect();
    try {
      for (const table of await findTables(client, ids)) found.push(`${name}.${table}`);
    } finally {
      await client.end();
    }
  }
  return found.filter((table) => !tombstones.has(table));
}

async function findTables(client: pg.Client, ids: readonly string[]): Promise<string[]> {
  const { rows } = await client.query<{ name: string }>(
    "SELECT relname AS name FROM pg_class WHERE relnamespace = 'public'::regnamespace AND relkind IN ('r', 'p')",
  );
  const found: string[] = [];
  for (const { name } of rows) {
    const query = `SELECT FROM "${name}" AS row WHERE to_jsonb(row)::text ~ $1 LIMIT 1`;
    const { rowCount } = await client.query(query, [ids.join('|')]);
    if (rowCount) found.push(name);
  }
  return found.sort();
}
