import {
  listDailyAnalytics,
  listDailyUsage,
  listKeyUsage,
  listToolHealth,
  readContent,
  storeContent,
  summarizeUsage,
  type AnalyticsDay,
} from '@gateway/contracts';
import { createAcceptedEvent, createEndedEvent, createPlanEvent, startStack } from '@gateway/testing';
import pg from 'pg';
import { uuidv7 } from 'uuidv7';
import {
  dropEmptyPartitions,
  expireAccount,
  listAccountsWithOldRows,
} from '../../../apps/worker/src/jobs/expire/expire.ts';
import { choosePartition, Partitions } from '../../../apps/worker/src/persistence/partitions.ts';
import { listAccountsWithContents } from '../../../apps/worker/src/contents/request-contents.ts';
import {
  createTelemetryDatabase,
  type TelemetryDatabase,
} from '../../../apps/worker/src/persistence/telemetry-database.ts';
import { listAll, newAccountId, startRecorder, type Recorder } from '../recording/recorder.fixture.ts';
import { undoAll, type Stack, type Undo } from '../stack.fixture.ts';

const dayMs = 86_400_000;
const undo: Undo[] = [];
let stack: Stack;
let recorder: Recorder;
let database: TelemetryDatabase;
let pool: pg.Pool;

beforeAll(async () => {
  stack = await startStack({ apps: ['worker'] });
  undo.push(() => stack.stop());
  recorder = await startRecorder(stack);
  undo.push(() => recorder.close());
  const url = stack.dev.postgres.telemetry;
  database = createTelemetryDatabase({ url });
  undo.push(() => database.close());
  pool = new pg.Pool({ connectionString: url, max: 1 });
  undo.push(() => pool.end());
}, 180_000);
afterAll(() => undoAll(undo), 120_000);

function idAt(timeMs: number): string {
  const hex = timeMs.toString(16).padStart(12, '0');
  return `${hex.slice(0, 8)}-${hex.slice(8)}${uuidv7().slice(13)}`;
}

async function recordAt(accountId: string, agoDays: readonly number[], nowMs: number): Promise<void> {
  for (const days of agoDays) {
    const accepted = { ...createAcceptedEvent({ accountId }), requestId: idAt(nowMs - days * dayMs) };
    await recorder.spool.accept(accepted);
    recorder.spool.finish(createEndedEvent(accepted), null);
  }
  await recorder.untilCommitted();
}

const countHours = async (accountId: string) => {
  const { rows } = await pool.query<{ requests: string | null }>(
    'SELECT sum(requests) AS requests FROM usage_hours WHERE account_id = $1',
    [accountId],
  );
  return Number(rows[0]?.requests ?? 0);
};

test('rows expire with the account’s retention period, but totals and newer rows stay', async () => {
  const nowMs = Date.now();
  const [own, other] = [newAccountId(), newAccountId()];
  await recordAt(own, [0.01, 1, 6, 8, 9, 40], nowMs);
  await recordAt(other, [40], nowMs);
  expect(await listAccountsWithOldRows(database, nowMs)).toEqual(expect.arrayContaining([own, other]));
  const keeping = { retentionDays: 7, hasContents: true };
  expect(await expireAccount(database, own, keeping, nowMs)).toEqual({ rows: 3, contents: 0 });
  expect((await listAll(recorder.messaging, own)).requests).toHaveLength(3);
  expect((await listAll(recorder.messaging, other)).requests).toHaveLength(1);
  expect((await listAll(recorder.messaging, own)).total).toBe(3);
  expect([await countHours(own), await countHours(other)]).toEqual([6, 1]);
  const span = {
    from: new Date(nowMs - 60 * dayMs).toISOString(),
    to: new Date(nowMs + dayMs).toISOString(),
  };
  const { figures } = await recorder.messaging.call(summarizeUsage, { accountId: own, ...span });
  expect(figures.requests).toBe(6);
  expect(await expireAccount(database, own, keeping, nowMs)).toEqual({ rows: 0, contents: 0 });
  expect(await listAccountsWithOldRows(database, nowMs)).toContain(own);
  await expireAccount(database, own, { ...keeping, retentionDays: 0.5 }, nowMs);
  expect(await listAccountsWithOldRows(database, nowMs)).not.toContain(own);
});

describe('figures for a period whose log was deleted', () => {
  const accountId = newAccountId();
  const nowMs = Date.now();
  const midnight = Math.floor(nowMs / dayMs) * dayMs;
  const span = { from: instantAt(-20), to: instantAt(1) };
  const filtered = (filter: object) =>
    recorder.messaging.call(listDailyAnalytics, { accountId, ...span, filter });
  const dayAt = (days: readonly AnalyticsDay[], ago: number) =>
    days.find(({ date }) => date === instantAt(-ago).slice(0, 10));
  let before: Awaited<ReturnType<typeof filtered>>;
  let keyId: string;

  function instantAt(days: number): string {
    return new Date(midnight + days * dayMs).toISOString();
  }
  const recordOn = async (ago: number, model: string): Promise<void> => {
    const at = midnight - ago * dayMs + 5_000_000;
    const accepted = { ...createAcceptedEvent({ accountId }), requestId: idAt(at), sessionId: `s-${ago}` };
    keyId = accepted.keyId;
    await recorder.spool.accept(accepted);
    const change = {
      model,
      toolsIn: 20,
      toolsOut: 5,
      toolsPruned: 15,
      toolTokensSaved: 900,
      grossSavingsUsd: 0.5,
    };
    const plan = createPlanEvent(3, 1);
    recorder.spool.finish(createEndedEvent(accepted, { ...change, plan, calledTools: ['tool_0'] }), null);
  };

  beforeAll(async () => {
    for (const ago of [2, 9]) for (const model of ['one', 'two']) await recordOn(ago, model);
    await recorder.untilCommitted();
    before = await filtered({});
    expect(await expireAccount(database, accountId, { retentionDays: 7, hasContents: true }, nowMs)).toEqual({
      rows: 2,
      contents: 0,
    });
  }, 60_000);

  it('sums for a period stay the same after the log of the period is deleted', async () => {
    const { days } = await recorder.messaging.call(listDailyUsage, { accountId, ...span });
    const known = { requests: 2, tools_in: 40, tool_tokens_saved: 1_800, estimated_tokens_saved: 3_000 };
    expect(days.map(({ date }) => date)).toEqual([9, 2].map((ago) => instantAt(-ago).slice(0, 10)));
    for (const day of days) expect(day).toMatchObject(known);
    const { keys } = await recorder.messaging.call(listKeyUsage, { accountId, ...span });
    expect(keys.reduce((sum, { requests }) => sum + (requests ?? 0), 0)).toBe(4);
    const { figures } = await recorder.messaging.call(summarizeUsage, { accountId, ...span });
    expect(figures).toMatchObject({ requests: 4, net_tokens_saved: 6_000, tool_tokens_saved: 3_600 });
  });

  it('after the log is deleted, analytics figures that need the log are null, and other figures are unchanged', async () => {
    const { days, totals } = await filtered({});
    expect(dayAt(days, 2)).toEqual(dayAt(before.days, 2));
    const unknown = {
      ...{ sessions: null, models: null, total_p50_ms: null, total_p95_ms: null, overhead_p50_ms: null },
      ...{ overhead_p95_ms: null, first_byte_p50_ms: null, first_byte_p95_ms: null },
    };
    expect(dayAt(days, 9)).toEqual({ ...dayAt(before.days, 9), ...unknown });
    expect(dayAt(days, 9)).toMatchObject({ requests: 2, pruned_requests: 2, gross_savings_usd: 1 });
    expect(dayAt(days, 9)?.statuses).toMatchObject({ ok: 2, error: 0 });
    expect(dayAt(days, 5)).toBeUndefined();
    expect(totals).toEqual({ ...before.totals, ...unknown });
  });

  it('after the log is deleted, a key still has figures, and the figures for a model or a session are null', async () => {
    const ofKey = await filtered({ key_id: keyId });
    expect(ofKey.totals).toMatchObject({ requests: 1 });
    for (const filter of [{ model: 'one' }, { session_id: 's-2' }]) {
      const { days, totals } = await filtered(filter);
      expect(dayAt(days, 9)).toMatchObject({ requests: null, statuses: null, cost_usd: null, models: null });
      expect(dayAt(days, 2)).toMatchObject({ requests: 'model' in filter ? 1 : 2, sessions: 1 });
      expect(totals).toMatchObject({ requests: null, net_tokens_saved: null, sessions: null });
    }
    const kept = { ...span, from: instantAt(-5) };
    const recent = await recorder.messaging.call(listDailyAnalytics, {
      ...{ accountId, ...kept, filter: { model: 'one' } },
    });
    expect(recent.totals).toMatchObject({ requests: 1, sessions: 1 });
  });

  it('figures are null if the period begins or ends within a deleted hour, and zero for a period without requests', async () => {
    const within = (fromMs: number, toMs: number) =>
      recorder.messaging.call(summarizeUsage, {
        ...{ accountId, from: new Date(fromMs).toISOString(), to: new Date(toMs).toISOString() },
      });
    const at = midnight - 9 * dayMs + 5_000_000;
    const unknown = { requests: null, net_tokens_saved: null, cost_usd: null, tool_tokens_saved: null };
    expect((await within(at - 1_000, at + dayMs)).figures).toMatchObject(unknown);
    expect((await within(at - dayMs, at + 1_000)).figures).toMatchObject(unknown);
    expect((await within(at + 3_600_000, at + 2 * 3_600_000 + 1_000)).figures).toMatchObject({ requests: 0 });
  });

  it('the counts of tool use do not expire with the log', async () => {
    const call = { accountId, ...span, limit: 10, offset: 0 };
    const { requestsConsidered, tools } = await recorder.messaging.call(listToolHealth, call);
    expect(requestsConsidered).toBe(4);
    const counts = tools.map(({ name, stats }) => [name, stats.offered, stats.forwarded, stats.called]);
    expect(counts).toEqual([
      ['tool_0', 4, 4, 4],
      ['tool_1', 4, 0, 0],
      ['tool_2', 4, 0, 0],
    ]);
  });
});

test('tool data expires even if the account has no rows left', async () => {
  const nowMs = Date.now();
  const accountId = newAccountId();
  const { toolAssessment } = database.forAccount(accountId);
  const assessment = { accountId, score: 100, issues: [], near: [], wordings: [] };
  await toolAssessment.createMany({
    data: [
      { ...assessment, name: 'old', assessedAt: new Date(nowMs - 9 * dayMs) },
      { ...assessment, name: 'fresh', assessedAt: new Date(nowMs - 0.1 * dayMs) },
    ],
  });
  expect(await listAccountsWithOldRows(database, nowMs)).toContain(accountId);
  await expireAccount(database, accountId, { retentionDays: 7, hasContents: true }, nowMs);
  expect(await toolAssessment.findMany({ select: { name: true } })).toEqual([{ name: 'fresh' }]);
  expect(await listAccountsWithOldRows(database, nowMs)).not.toContain(accountId);
});

test('a monthly partition without rows is dropped, and created again for a late event', async () => {
  const nowMs = Date.now();
  const accountId = newAccountId();
  await recordAt(accountId, [200], nowMs);
  const { name } = choosePartition(nowMs - 200 * dayMs);
  const partitions = new Partitions(database);
  expect(await dropEmptyPartitions(database, partitions, nowMs)).not.toContain(name);
  await expireAccount(database, accountId, { retentionDays: 30, hasContents: true }, nowMs);
  expect(await dropEmptyPartitions(database, partitions, nowMs)).toContain(name);
  // The worker still has the dropped month's table partition in its cache.
  await recordAt(accountId, [200], nowMs);
  expect((await listAll(recorder.messaging, accountId)).requests).toHaveLength(1);
});

describe('request contents', () => {
  const keep = async (accountId: string, agoDays: number, forDays = 30): Promise<string> => {
    const requestId = idAt(Date.now() - agoDays * dayMs);
    const expiresAt = new Date(Date.now() + (forDays - agoDays) * dayMs).toISOString();
    const packed = Buffer.from('packed').toString('base64');
    await recorder.messaging.call(storeContent, { accountId, requestId, expiresAt, packed });
    return requestId;
  };
  const read = async (accountId: string, requestId: string) =>
    (await recorder.messaging.call(readContent, { accountId, requestId })).content;
  const expire = (accountId: string, retentionDays: number, hasContents = true) =>
    expireAccount(database, accountId, { retentionDays, hasContents }, Date.now());

  test('request contents expire after the content lifetime or a shorter retention period, and newer contents stay', async () => {
    const [own, other] = [newAccountId(), newAccountId()];
    const [fresh, old, over] = [await keep(own, 0), await keep(own, 9), await keep(own, 3, 2)];
    const theirs = await keep(other, 9);
    expect(await listAccountsWithContents(database)).toEqual(expect.arrayContaining([own, other]));
    expect(await read(own, old)).toMatchObject({ packed: Buffer.from('packed').toString('base64') });
    // Expired request contents are hidden even before they are deleted.
    expect(await read(own, over)).toBeNull();
    expect(await expire(own, 7)).toMatchObject({ contents: 2 });
    expect([await read(own, fresh), await read(own, old)]).toEqual([expect.anything(), null]);
    expect(await read(other, theirs)).not.toBeNull();
    expect(await read(other, fresh)).toBeNull();
  });

  test('all request contents of an account are deleted when the account turns off content logging', async () => {
    const own = newAccountId();
    const kept = await keep(own, 0);
    expect(await expire(own, 30, false)).toMatchObject({ contents: 1 });
    expect(await read(own, kept)).toBeNull();
  });

  test('request contents are stored encrypted, once per request', async () => {
    const own = newAccountId();
    const requestId = await keep(own, 0);
    const again = { accountId: own, requestId, expiresAt: new Date().toISOString(), packed: 'aGk=' };
    expect(await recorder.messaging.call(storeContent, again)).toEqual({ isStored: false });
    const { rows } = await pool.query<{ sealed: Buffer }>(
      'SELECT sealed FROM request_contents WHERE account_id = $1',
      [own],
    );
    expect(rows).toHaveLength(1);
    expect(rows[0]!.sealed.includes('packed')).toBe(false);
  });
});
