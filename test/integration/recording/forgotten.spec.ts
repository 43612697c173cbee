import { deadRequestEvent, forgetAccountRequests, type DeadRequestEvent } from '@gateway/contracts';
import type { Messaging } from '@gateway/messaging';
import { startStack } from '@gateway/testing';
import { Queue } from 'bullmq';
import { Redis } from 'ioredis';
import pg from 'pg';
import { connectAs, eventually, undoAll, type Stack, type Undo } from '../stack.fixture.ts';
import { listAll, newAccountId, startRecorder, type Recorder } from './recorder.fixture.ts';

const undo: Undo[] = [];
let stack: Stack;
let recorder: Recorder;
let account: Messaging;
let database: pg.Pool;

beforeAll(async () => {
  stack = await startStack({ apps: ['worker'] });
  undo.push(() => stack.stop());
  recorder = await startRecorder(stack);
  undo.push(() => recorder.close());
  account = await connectAs(stack, 'account');
  undo.push(() => account.close());
  database = new pg.Pool({ connectionString: stack.dev.postgres.telemetry, max: 2 });
  undo.push(() => database.end());
}, 180_000);
afterAll(() => undoAll(undo), 120_000);

const forget = (accountId: string) => account.call(forgetAccountRequests, { accountId });
const untilForgotten = (accountId: string) =>
  eventually(async () => ((await forget(accountId)).isDone ? true : undefined));
const countRows = async (accountId: string) => {
  const count = 'SELECT count(*)::int AS rows FROM request_log WHERE account_id = $1';
  return (await database.query<{ rows: number }>(count, [accountId])).rows[0]!.rows;
};

it('the deletion of an account deletes all its requests, rejects later requests, and keeps those of other accounts', async () => {
  const [gone, other] = [newAccountId(), newAccountId()];
  for (const accountId of [gone, other, gone, other]) await recorder.record(accountId);
  await recorder.untilCommitted();
  expect(await countRows(gone)).toBe(2);
  expect(await forget(gone)).toEqual({ isDone: true });
  expect((await listAll(recorder.messaging, gone)).total).toBe(0);

  for (const accountId of [gone, other]) await recorder.record(accountId);
  await recorder.untilCommitted();
  expect(await countRows(gone)).toBe(0);
  expect(await countRows(other)).toBe(3);
  expect(await forget(gone)).toEqual({ isDone: true });
}, 60_000);

it('after the deletion of an account, no rows from a concurrent writer are left', async () => {
  const accountId = newAccountId();
  // The test writes events until shortly after the account's deletion, even if the deletion takes a long time.
  const state = { isForgotten: false };
  const writing = (async () => {
    for (let at = 0, late = 0; late < 200; at++, late += state.isForgotten ? 1 : 0) {
      await recorder.record(accountId);
      if (at % 20 === 0) await new Promise((resolve) => setTimeout(resolve, 5));
    }
  })();
  try {
    await eventually(async () => ((await countRows(accountId)) > 0 ? true : undefined));
    await untilForgotten(accountId);
  } finally {
    state.isForgotten = true;
  }
  // Once the service reports the deletion as complete, no further rows may appear.
  expect(await countRows(accountId)).toBe(0);
  await writing;
  await recorder.untilCommitted(40_000);
  expect(await countRows(accountId)).toBe(0);
}, 60_000);

it('the deletion of an account also deletes a log that is too large for one statement', async () => {
  const accountId = newAccountId();
  await recorder.record(accountId);
  await recorder.untilCommitted();
  const { rows } = await database.query<{ name: string }>(
    "SELECT column_name AS name FROM information_schema.columns WHERE table_name = 'request_log' AND column_name <> 'id'",
  );
  const columns = rows.map(({ name }) => `"${name}"`).join(', ');
  await database.query(
    `INSERT INTO request_log (id, ${columns})
     SELECT gen_random_uuid(), ${columns} FROM request_log, generate_series(1, 12000) WHERE account_id = $1`,
    [accountId],
  );
  expect(await countRows(accountId)).toBe(12_001);
  await untilForgotten(accountId);
  expect(await countRows(accountId)).toBe(0);
}, 60_000);

it('the deletion of an account also deletes rows in tables that the code does not list', async () => {
  const [gone, other] = [newAccountId(), newAccountId()];
  await database.query('CREATE TABLE "later ""on" (account_id uuid, value int)');
  const insert = 'INSERT INTO "later ""on" SELECT $1::uuid, generate_series(1, 7000)';
  for (const accountId of [gone, other]) await database.query(insert, [accountId]);
  await untilForgotten(gone);
  const left = await database.query<{ account_id: string; rows: number }>(
    'SELECT account_id, count(*)::int AS rows FROM "later ""on" GROUP BY 1',
  );
  expect(left.rows).toEqual([{ account_id: other, rows: 7_000 }]);
  await database.query('DROP TABLE "later ""on"');
}, 60_000);

it('the deletion of an account deletes the account’s dead letters, and keeps those of other accounts', async () => {
  const [gone, other] = [newAccountId(), newAccountId()];
  const redis = new Redis(stack.dev.redis_url, { maxRetriesPerRequest: null });
  const queue = new Queue<DeadRequestEvent>(deadRequestEvent.queue, { connection: redis });
  try {
    const letters = Array.from({ length: 1_200 }, (_, at) => ({
      name: deadRequestEvent.name,
      data: {
        ...{ batchId: `batch-${at}`, traceparent: null, reason: 'a test', at: new Date().toISOString() },
        event: { accountId: at % 3 === 0 ? gone : other },
      },
    }));
    await queue.addBulk(letters);
    await untilForgotten(gone);
    const left = (await queue.getWaiting(0, -1)).map(
      ({ data }) => (data.event as { accountId: string }).accountId,
    );
    expect(left).toHaveLength(800);
    expect(new Set(left)).toEqual(new Set([other]));
  } finally {
    await queue.close();
    redis.disconnect();
  }
}, 60_000);
