import pg from 'pg';
import type { RequestEventV1 } from '@gateway/contracts';
import { eventually, type Stack } from '../stack.fixture.ts';

/** A row of the ledger, or the row expected from the request log. */
export interface LedgerRow {
  readonly request_id: string;
  readonly at: string;
  readonly account_id: string;
  readonly key_id: string | null;
  readonly estimated: number;
  readonly compression: number;
  readonly recovery: number;
}

/** The ledger entries expected from the request log, and the entries that the billing service wrote. */
export interface LedgerEnds {
  readonly billing: pg.Pool;
  readonly telemetry: pg.Pool;
  /** Waits until the ledger outbox has no entries. */
  untilSettled(withinMs?: number): Promise<void>;
  readLedger(accountIds: readonly string[]): Promise<LedgerRow[]>;
  /** Returns the request log rows with savings, as ledger rows. */
  readLog(accountIds: readonly string[]): Promise<LedgerRow[]>;
  close(): Promise<void>;
}

export function openLedgerEnds(stack: Stack): LedgerEnds {
  const [billing, telemetry] = (['billing', 'telemetry'] as const).map((name) => {
    const pool = new pg.Pool({ connectionString: stack.dev.postgres[name], max: 2 });
    // Idle database connections are expected to fail when a test kills the Postgres server.
    pool.on('error', () => undefined);
    return pool;
  }) as [pg.Pool, pg.Pool];
  const read = async (pool: pg.Pool, sql: string, accountIds: readonly string[]) =>
    (await pool.query<LedgerRow>(sql, [accountIds])).rows;
  return {
    ...{ billing, telemetry },
    untilSettled: async (withinMs = 60_000) => {
      const owed = 'SELECT count(*)::int AS count FROM ledger_outbox';
      await eventually(async () => {
        const { rows } = await telemetry.query<{ count: number }>(owed).catch(() => ({ rows: [] }));
        return rows[0]?.count === 0 ? true : undefined;
      }, withinMs);
    },
    readLedger: (accountIds) =>
      read(
        billing,
        `SELECT request_id, at::text, account_id, key_id, estimated_tokens_saved::int AS estimated,
           compression_tokens_saved::int AS compression, recovery_tokens_deducted::int AS recovery
         FROM ledger_entries WHERE account_id = ANY ($1) ORDER BY request_id`,
        accountIds,
      ),
    readLog: (accountIds) =>
      read(
        telemetry,
        `SELECT id AS request_id, created_at::text AS at, account_id, key_id,
           estimated_tokens_saved::int AS estimated, compression_tokens_saved::int AS compression,
           recovery_tokens_deducted::int AS recovery
         FROM request_log WHERE account_id = ANY ($1) AND estimated_tokens_saved + compression_tokens_saved > 0
         ORDER BY id`,
        accountIds,
      ),
    close: async () => {
      await Promise.all([billing.end(), telemetry.end()]);
    },
  };
}

/**
 * Returns usage event fields with the given number of pruned tools and the given number of tokens saved by
 * compression.
 */
export function saving(tools: number, tokens: number): Partial<RequestEventV1> {
  return {
    toolsIn: tools + 3,
    toolsOut: 3,
    compressionSteps: tokens > 0 ? [{ step: 'dedup', tokensBefore: tokens + 50, tokensAfter: 50 }] : [],
  };
}
