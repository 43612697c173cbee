import { appendFileSync, existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { StackUnderTest } from '@gateway/testing';
import pg from 'pg';

const notedIn = (stack: StackUnderTest) => join(stack.dataDir, 'deleted-accounts');

/** Records the id of a deleted account, so that a later test file can search for spool files with the id. */
export function noteDeletedAccount(stack: StackUnderTest, accountId: string): void {
  appendFileSync(notedIn(stack), `${accountId}\n`);
}

/** Returns the recorded ids of deleted accounts. */
export function readDeletedAccounts(stack: StackUnderTest): string[] {
  if (!existsSync(notedIn(stack))) return [];
  return readFileSync(notedIn(stack), 'utf8').split('\n').filter(Boolean);
}

/**
 * Tables that may still contain the id of a deleted account, as `<database>.<table>`. The comments in the list
 * explain why.
 */
const tombstones = new Set([
  // The table of account deletions and their progress.
  'account.account_deletions',
  // Services use these tables to reject events that arrive after an account's deletion.
  'vault.forgotten_accounts',
  'billing.forgotten_accounts',
  'telemetry.forgotten_accounts',
  // The audit log for credential access contains only ids.
  // The operator configures the retention time of the audit log.
  'vault.credential_audit',
]);

/**
 * Finds every table with a row that contains one of the given ids, and returns each table as
 * `<database>.<table>`. Searches all databases for the ids.
 */
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
