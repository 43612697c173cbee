import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import {
  forgetAccountRequests,
  listDailyUsage,
  listKeyUsage,
  listSessions,
  summarizeUsage,
  type RequestEventV1,
  type RequestLogEntry,
  type UsageFigures,
} from '@gateway/contracts';
import pg from 'pg';
import { createAcceptedEvent, createEndedEvent, startStack } from '@gateway/testing';
import { uuidv7 } from 'uuidv7';
import { listAll, newAccountId, startRecorder, type Recorder } from '../recording/recorder.fixture.ts';
import { connectAs, undoAll, type Stack, type Undo } from '../stack.fixture.ts';

const undo: Undo[] = [];
let stack: Stack;
let recorder: Recorder;
let database: pg.Pool;

beforeAll(async () => {
  stack = await startStack({ apps: ['worker'] });
  undo.push(() => stack.stop());
  recorder = await startRecorder(stack);
  undo.push(() => recorder.close());
  database = new pg.Pool({ connectionString: stack.dev.postgres.telemetry, max: 2 });
  undo.push(() => database.end());
}, 180_000);
afterAll(() => undoAll(undo), 120_000);

/** Returns a UUIDv7 with the given timestamp. */
function idAt(time: string): string {
  const hex = Date.parse(time).toString(16).padStart(12, '0');
  return `${hex.slice(0, 8)}-${hex.slice(8)}${uuidv7().slice(13)}`;
}

async function recordAt(
  accountId: string,
  time: string,
  change: Partial<RequestEventV1> = {},
): Promise<void> {
  const accepted = { ...createAcceptedEvent({ accountId }), requestId: idAt(time) };
  await recorder.spool.accept(accepted);
  recorder.spool.finish(createEndedEvent(accepted, change), null);
}

/**
 * The requests span more than three months. Some requests fall on the first or last instant of a month or
 * day.
 */
const now = new Date();
const month = (ago: number) => Date.UTC(now.getUTCFullYear(), now.getUTCMonth() - ago);
const instants = [3, 2, 1].flatMap((ago) => [
  ...[month(ago) - 1, month(ago), month(ago) + 1],
  ...Array.from({ length: 20 }, (_, at) => month(ago) + at * 86_400_000 * 1.37),
  ...[month(ago) + 5 * 86_400_000 - 1, month(ago) + 5 * 86_400_000],
]);

const sum = (rows: readonly RequestLogEntry[], read: (row: RequestLogEntry) => number | null) =>
  rows.reduce((total, row) => total + (read(row) ?? 0), 0);
const sums = (rows: readonly RequestLogEntry[]): Partial<UsageFigures> => ({
  requests: rows.length,
  errors: sum(rows, ({ status }) => Number(status === 'error')),
  prompt_tokens: sum(rows, (row) => row.prompt_tokens),
  completion_tokens: sum(rows, (row) => row.completion_tokens),
  estimated_tokens_saved: sum(rows, (row) => row.estimated_tokens_saved),
  compression_tokens_saved: sum(rows, (row) => row.compression_tokens_saved),
  recovery_tokens: sum(rows, (row) => row.recovery_tokens),
  recovery_tokens_deducted: sum(rows, (row) => row.recovery_tokens_deducted),
  net_tokens_saved: sum(rows, (row) => row.net_tokens_saved),
  tool_tokens_saved: rows.some((row) => row.tool_tokens_saved !== null)
    ? sum(rows, (row) => row.tool_tokens_saved)
    : null,
  tools_in: sum(rows, (row) => row.tools_in),
  tools_out: sum(rows, (row) => row.tools_out),
  unpriced_requests: sum(rows, (row) => Number(row.prompt_tokens !== null && row.cost_usd === null)),
});

describe('totals over many months', () => {
  const [accountId, other] = [newAccountId(), newAccountId()];
  const usage = (at: number) => ({
    ...{ inputTokens: 1_000 + at, outputTokens: at, cachedInputTokens: at % 7, cacheWriteTokens: 0 },
    estimated: false,
  });
  let rows: RequestLogEntry[];

  beforeAll(async () => {
    for (const [at, timeMs] of instants.entries()) {
      const time = new Date(Math.floor(timeMs)).toISOString();
      const change = {
        ...{ toolsIn: 20 + at, toolsOut: 5, usage: usage(at), costUsd: at % 3 === 0 ? null : 0.1 },
        // In some requests, recovery rounds cost more than pruning saves.
        // In some requests, the gateway did not count the tokens of the tool definitions.
        ...{ recoveryTokens: at % 4 === 0 ? at * 150 : 0, toolTokensSaved: at % 6 === 0 ? null : 40 - at },
      };
      await recordAt(
        accountId,
        time,
        at % 5 === 0 ? { status: 'error', usage: null, costUsd: null } : change,
      );
      await recordAt(other, time, change);
    }
    await recorder.untilCommitted();
    rows = (await listAll(recorder.messaging, accountId)).requests;
    expect(rows).toHaveLength(instants.length);
  }, 180_000);

  const within = (from: string, to: string) =>
    rows.filter(({ created_at }) => created_at >= from && created_at < to);
  const spans = [
    [month(4), month(0)],
    [month(2), month(1)],
    [month(2) - 1, month(2)],
    [month(1), month(1) + 1],
    [month(3) + 86_400_000, month(1) + 3_600_000],
    [month(3) + 1_234_567, month(1) + 7_654_321],
    [month(2) + 600_000, month(2) + 1_200_000],
    [month(9), month(8)],
  ].map(([from, to]) => [new Date(from!).toISOString(), new Date(to!).toISOString()] as const);

  it.each(spans)('the totals from %s to %s match the request log', async (from, to) => {
    const { messaging } = recorder;
    const wanted = within(from, to);
    const { figures } = await messaging.call(summarizeUsage, { accountId, from, to });
    expect(figures).toMatchObject(sums(wanted));
    const { keys } = await messaging.call(listKeyUsage, { accountId, from, to });
    expect(keys.reduce((total, { requests }) => total + (requests ?? 0), 0)).toBe(wanted.length);
    for (const key of keys)
      expect(key).toMatchObject(sums(wanted.filter((row) => row.key_id === key.key_id)));
    const { days } = await messaging.call(listDailyUsage, { accountId, from, to });
    const dates = [...new Set(wanted.map(({ created_at }) => created_at.slice(0, 10)))].sort();
    expect(days.map(({ date }) => date)).toEqual(dates);
    for (const day of days)
      expect(day).toMatchObject(sums(wanted.filter(({ created_at }) => created_at.startsWith(day.date))));
  });
});

it('a request that was closed as interrupted and completed later is counted once, with the final outcome', async () => {
  const accountId = newAccountId();
  const time = new Date(Date.now() - 60_000).toISOString();
  const accepted = { ...createAcceptedEvent({ accountId }), requestId: idAt(time), sessionId: 'one' };
  const [from, to] = [new Date(Date.parse(time) - 1).toISOString(), new Date().toISOString()];
  for (const change of [{ status: 'interrupted' as const, usage: null, costUsd: null }, {}]) {
    await recorder.spool.accept(accepted);
    recorder.spool.finish(createEndedEvent(accepted, change), null);
    await recorder.untilCommitted();
  }
  const { requests } = await listAll(recorder.messaging, accountId);
  expect(requests).toHaveLength(1);
  const { figures } = await recorder.messaging.call(summarizeUsage, { accountId, from, to });
  expect(figures).toMatchObject({ ...sums(requests), requests: 1 });
  expect(requests[0]?.status).toBe('ok');
  const listed = await recorder.messaging.call(listSessions, { accountId, from, to, limit: 10, offset: 0 });
  expect(listed).toMatchObject({
    total: 1,
    sessions: [{ session_id: 'one', requests: 1, first_request_at: time }],
  });
});

/**
 * Recomputes the totals from the request log, with the SQL statement at the end of the migration that added
 * the newest columns.
 */
const migration = join(
  import.meta.dirname,
  '../../../prisma/telemetry/migrations/20261123120000_net_savings/migration.sql',
);
const [, columns = '', remade = ''] =
  /\nINSERT INTO usage_hours \(([^)]+)\)\n(SELECT [^;]+);/.exec(readFileSync(migration, 'utf8')) ?? [];

interface Hour {
  readonly hour: Record<string, unknown>;
}

async function readHours(sql: string): Promise<unknown[][]> {
  const { rows } = await database.query<Hour>(`${sql} ORDER BY account_id, hour, key_id`);
  return rows.map(renderHour);
}

it('the totals can be recomputed from the request log, and do not change when rows are deleted', async () => {
  const accountId = newAccountId();
  const times = instants.slice(0, 30).map((timeMs) => new Date(Math.floor(timeMs)).toISOString());
  for (const time of times) await recordAt(accountId, time);
  await recorder.untilCommitted();
  const sql = `WITH remade (${columns}) AS (${remade}) SELECT to_jsonb(remade) AS hour FROM remade`;
  expect(await readHours(sql)).toEqual(
    await readHours('SELECT to_jsonb(hours) AS hour FROM usage_hours AS hours'),
  );
  const readSums = () =>
    readHours(
      `SELECT to_jsonb(hours) - 'logged_requests' - 'logged_errors' AS hour FROM usage_hours AS hours`,
    );
  const before = await readSums();
  const half = times[15]!;
  const { rowCount } = await database.query(
    'DELETE FROM request_log WHERE account_id = $1 AND created_at < $2',
    [accountId, half],
  );
  const left = 30 - rowCount!;
  expect(await readSums()).toEqual(before);
  const logged = await database.query(
    'SELECT sum(requests)::int AS ever, sum(logged_requests)::int AS logged FROM usage_hours WHERE account_id = $1',
    [accountId],
  );
  expect(logged.rows).toEqual([{ ever: 30, logged: left }]);
  expect((await listAll(recorder.messaging, accountId)).total).toBe(left);
  const account = await connectAs(stack, 'account');
  undo.push(() => account.close());
  expect(await account.call(forgetAccountRequests, { accountId })).toEqual({ isDone: true });
  const hours = await database.query('SELECT FROM usage_hours WHERE account_id = $1', [accountId]);
  expect(hours.rowCount).toBe(0);
});

/** Returns the column values of an hourly total, in the table's column order. */
function renderHour({ hour: { account_id, key_id, hour, ...figures } }: Hour): unknown[] {
  return [account_id, hour, key_id, ...Object.entries(figures).sort()];
}
