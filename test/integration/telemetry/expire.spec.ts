import { readContent, storeContent, summarizeUsage } from '@gateway/contracts';
import { createAcceptedEvent, createEndedEvent, startStack } from '@gateway/testing';
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

test('rows and the totals that include them expire with the account’s retention, and other rows stay', async () => {
  const nowMs = Date.now();
  const [own, other] = [newAccountId(), newAccountId()];
  await recordAt(own, [0.01, 1, 6, 8, 9, 40], nowMs);
  await recordAt(other, [40], nowMs);
  expect(await listAccountsWithOldRows(database, nowMs)).toEqual(expect.arrayContaining([own, other]));
  const keeping = { retentionDays: 7, hasContents: true };
  expect(await expireAccount(database, own, keeping, nowMs)).toEqual({ rows: 3, contents: 0 });
  expect((await listAll(recorder.messaging, own)).requests).toHaveLength(3);
  expect((await listAll(recorder.messaging, other)).requests).toHaveLength(1);
  expect([await countHours(own), await countHours(other)]).toEqual([3, 1]);
  const span = {
    from: new Date(nowMs - 60 * dayMs).toISOString(),
    to: new Date(nowMs + dayMs).toISOString(),
  };
  const { figures } = await recorder.messaging.call(summarizeUsage, { accountId: own, ...span });
  expect(figures.requests).toBe(3);
  expect(await expireAccount(database, own, keeping, nowMs)).toEqual({ rows: 0, contents: 0 });
});

test('tool data expires too, even if no row is left', async () => {
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

test('a month without rows is dropped, and created again for a late event', async () => {
  const nowMs = Date.now();
  const accountId = newAccountId();
  await recordAt(accountId, [200], nowMs);
  const { name } = choosePartition(nowMs - 200 * dayMs);
  const partitions = new Partitions(database);
  expect(await dropEmptyPartitions(database, partitions, nowMs)).not.toContain(name);
  await expireAccount(database, accountId, { retentionDays: 30, hasContents: true }, nowMs);
  expect(await dropEmptyPartitions(database, partitions, nowMs)).toContain(name);
  // The worker still has this month in its cache.
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

  test('expire after the content lifetime or a shorter retention period, and others stay', async () => {
    const [own, other] = [newAccountId(), newAccountId()];
    const [fresh, old, over] = [await keep(own, 0), await keep(own, 9), await keep(own, 3, 2)];
    const theirs = await keep(other, 9);
    expect(await listAccountsWithContents(database)).toEqual(expect.arrayContaining([own, other]));
    expect(await read(own, old)).toMatchObject({ packed: Buffer.from('packed').toString('base64') });
    // Expired contents are hidden even before they are deleted.
    expect(await read(own, over)).toBeNull();
    expect(await expire(own, 7)).toMatchObject({ contents: 2 });
    expect([await read(own, fresh), await read(own, old)]).toEqual([expect.anything(), null]);
    expect(await read(other, theirs)).not.toBeNull();
    expect(await read(other, fresh)).toBeNull();
  });

  test('are all deleted when their account turns off content logging', async () => {
    const own = newAccountId();
    const kept = await keep(own, 0);
    expect(await expire(own, 30, false)).toMatchObject({ contents: 1 });
    expect(await read(own, kept)).toBeNull();
  });

  test('are stored encrypted, once per request', async () => {
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
