import { NeedleIndex, type StackUnderTest } from '@gateway/testing';
import pg from 'pg';
import { findRowsNaming } from '../e2e/deleted-account.fixture.ts';
import { eventually } from '../integration/stack.fixture.ts';
import type { LedgerEntry, LogRow } from './history.ts';

async function query<Row extends pg.QueryResultRow>(url: string, sql: string): Promise<Row[]> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    return (await client.query<Row>(sql)).rows;
  } finally {
    await client.end();
  }
}

export function readLog(stack: StackUnderTest): Promise<LogRow[]> {
  return query<LogRow>(
    stack.dev.postgres.telemetry,
    `SELECT id::text, account_id::text AS "accountId", key_id::text AS "keyId",
       client_request_id AS operation, status,
       prompt_tokens::float8 AS "promptTokens", completion_tokens::float8 AS "completionTokens",
       estimated_tokens_saved::float8 AS "toolsSaved", compression_tokens_saved::float8 AS "compressionSaved",
       (estimated_tokens_saved + compression_tokens_saved - recovery_tokens_deducted)::float8 AS "netSaved"
     FROM request_log WHERE client_request_id LIKE 'op-%'`,
  );
}

export function readLedger(stack: StackUnderTest): Promise<LedgerEntry[]> {
  return query<LedgerEntry>(
    stack.dev.postgres.billing,
    `SELECT request_id::text AS "requestId", account_id::text AS "accountId",
       estimated_tokens_saved::float8 AS "toolsSaved", compression_tokens_saved::float8 AS "compressionSaved"
     FROM ledger_entries`,
  );
}

/** Waits up to 60 s for a log row per operation, and for a ledger entry per row with savings. */
export async function settleRecords(stack: StackUnderTest, operations: ReadonlySet<string>): Promise<void> {
  const isSettled = async (): Promise<true | undefined> => {
    const rows = await readLog(stack);
    const logged = new Set(rows.map(({ operation }) => operation));
    if ([...operations].some((id) => !logged.has(id))) return undefined;
    const charged = new Set((await readLedger(stack)).map(({ requestId }) => requestId));
    const saving = rows.filter(({ toolsSaved, compressionSaved }) => toolsSaved + compressionSaved > 0);
    return saving.every(({ id }) => charged.has(id)) ? true : undefined;
  };
  // A timeout is ignored, because the checker reports each missing row and entry.
  await eventually(isSettled, 60_000).catch(() => undefined);
  // Waits, so that duplicate rows or entries can also arrive.
  await new Promise((resolve) => setTimeout(resolve, 2_000));
}

/** Waits until the account's deletion is done, and returns the tables that still contain the account's id. */
export async function findLeftovers(stack: StackUnderTest, accountId: string): Promise<string[]> {
  const isDone = async (): Promise<true | undefined> => {
    const rows = await query(
      stack.dev.postgres.account,
      'SELECT account_id::text AS id FROM account_deletions WHERE completed_at IS NOT NULL',
    );
    return rows.some(({ id }) => id === accountId) ? true : undefined;
  };
  const isComplete = await eventually(isDone, 60_000).catch(() => false);
  const tables = await findRowsNaming(stack, [accountId]);
  return isComplete ? tables : ['account.account_deletions (not completed)', ...tables];
}

/** Searches the logs of all processes for secrets. Describes each leak as `<process>: <name of the secret>`. */
export function findLeaks(
  logs: Readonly<Record<string, string>>,
  secrets: Readonly<Record<string, string>>,
): string[] {
  const index = new NeedleIndex(Object.entries(secrets).map(([name, value]) => ({ name, value })));
  return Object.entries(logs).flatMap(([process, text]) =>
    index.find(Buffer.from(text)).map(({ secret }) => `${process}: ${secret}`),
  );
}
