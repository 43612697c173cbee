import { listDailyUsage, listRequests, summarizeUsage } from '@gateway/contracts';
import type { Messaging } from '@gateway/messaging';
import pg from 'pg';
import { uuidv7 } from 'uuidv7';

const dayMs = 86_400_000;
const days = 28;
const rowsAtOnce = 100_000;
const calls = 100;

interface QueryOptions {
  readonly messaging: Messaging;
  readonly databaseUrl: string;
  readonly rows: number;
}

export interface QueryFigures {
  readonly query: string;
  readonly rows: number;
  readonly p50_ms: number;
  readonly p95_ms: number;
}

/**
 * Measures queries for one account that owns all rows. The benchmark sends its queries through NATS, like an
 * edge.
 */
export async function measureQueries({
  messaging,
  databaseUrl,
  rows,
}: QueryOptions): Promise<QueryFigures[]> {
  const accountId = uuidv7();
  await fillLog(databaseUrl, accountId, rows);
  const to = new Date(Date.now() + dayMs).toISOString();
  const from = new Date(Date.now() - (days + 1) * dayMs + 1_234_567).toISOString();
  const span = { accountId, from, to };
  const list = { accountId, limit: 50, filter: {} };
  const queries: readonly (readonly [string, () => Promise<unknown>])[] = [
    ['summary', () => messaging.call(summarizeUsage, span)],
    ['daily', () => messaging.call(listDailyUsage, span)],
    ['list', () => messaging.call(listRequests, { ...list, offset: 0 })],
    [
      'list by status',
      () => messaging.call(listRequests, { ...list, filter: { status: 'error' }, offset: 100 }),
    ],
  ];
  const figures: QueryFigures[] = [];
  for (const [query, ask] of queries) figures.push({ query, rows, ...(await time(ask)) });
  return figures;
}

async function time(ask: () => Promise<unknown>): Promise<{ p50_ms: number; p95_ms: number }> {
  const took: number[] = [];
  for (let call = -5; call < calls; call += 1) {
    const startedAt = performance.now();
    await ask();
    if (call >= 0) took.push(performance.now() - startedAt);
  }
  took.sort((one, other) => one - other);
  const quantile = (share: number) => Math.round((took[Math.floor(share * took.length)] ?? 0) * 10) / 10;
  return { p50_ms: quantile(0.5), p95_ms: quantile(0.95) };
}

/**
 * Creates request log rows for the last weeks inside the database. Database triggers update the totals. Each
 * request id contains its timestamp, as in production.
 */
export async function fillLog(databaseUrl: string, accountId: string, rows: number): Promise<void> {
  const client = new pg.Client({ connectionString: databaseUrl });
  await client.connect();
  try {
    for (const month of listMonths()) await client.query(month);
    for (let from = 0; from < rows; from += rowsAtOnce) {
      await client.query(insertSql, [accountId, from, Math.min(rows, from + rowsAtOnce) - 1, rows]);
    }
    await client.query('VACUUM ANALYZE request_log');
  } finally {
    await client.end();
  }
}

function listMonths(): string[] {
  const now = new Date();
  return [0, 1].map((ago) => {
    const [year, month] = [now.getUTCFullYear(), now.getUTCMonth() - ago];
    const first = new Date(Date.UTC(year, month));
    const next = new Date(Date.UTC(year, month + 1));
    const name = `request_log_${first.toISOString().slice(0, 7).replace('-', '_')}`;
    return `CREATE TABLE IF NOT EXISTS "${name}" PARTITION OF request_log
      FOR VALUES FROM ('${first.toISOString()}') TO ('${next.toISOString()}')`;
  });
}

const insertSql = `
  INSERT INTO request_log (id, created_at, account_id, key_id, endpoint, format, provider, model, stream, status, tools_in,
    tools_out, called_tools, prompt_tokens, completion_tokens, cached_tokens, usage_estimated, estimated_tokens_saved,
    compression_tokens_saved, cost_usd, ms_total)
  SELECT (lpad(to_hex((extract(epoch FROM at) * 1000)::bigint), 12, '0') || '7' ||
      substr(md5(n::text), 1, 3) || '8' || substr(md5(n::text), 4, 15))::uuid,
    at, $1::uuid, $1::uuid, '/v1/chat/completions', 'chat-completions', 'openai', 'gpt-4o-mini', n % 2 = 0,
    CASE WHEN n % 50 = 0 THEN 'error' ELSE 'ok' END, 100, 12, '{}', 4000 + n % 1000, 200, 3000, false, 8800, 300, 0.002,
    900 + n % 100
  FROM generate_series($2::bigint, $3::bigint) AS n
  CROSS JOIN LATERAL (
    SELECT date_trunc('milliseconds', now() - (n::float8 / $4::float8) * interval '${days} days') AS at
  ) AS time`;
