import {
  describeBilling,
  forgetAccountBilling,
  ledgerEntryBatch,
  ledgerEntryBatchOptions,
  type LedgerEntry,
} from '@gateway/contracts';
import type { Messaging } from '@gateway/messaging';
import { createAcceptedEvent, createEndedEvent, startStack } from '@gateway/testing';
import { Queue } from 'bullmq';
import { Redis } from 'ioredis';
import { uuidv7 } from 'uuidv7';
import { newAccountId, startRecorder, type Recorder } from '../recording/recorder.fixture.ts';
import { connectAs, eventually, undoAll, untilDayLasts, type Stack, type Undo } from '../stack.fixture.ts';
import { openLedgerEnds, saving, type LedgerEnds } from './ledger.fixture.ts';

const undo: Undo[] = [];
let stack: Stack;
let recorder: Recorder;
let account: Messaging;
let ends: LedgerEnds;
let queue: Queue;

beforeAll(async () => {
  await untilDayLasts(90_000);
  stack = await startStack({ apps: ['worker', 'billing'] });
  undo.push(() => stack.stop());
  recorder = await startRecorder(stack);
  undo.push(() => recorder.close());
  account = await connectAs(stack, 'account');
  undo.push(() => account.close());
  ends = openLedgerEnds(stack);
  undo.push(() => ends.close());
  const redis = new Redis(stack.dev.redis_url, { maxRetriesPerRequest: null });
  redis.on('error', () => undefined);
  queue = new Queue(ledgerEntryBatch.queue, { connection: redis });
  queue.on('error', () => undefined);
  undo.push(
    () => redis.disconnect(),
    () => queue.close(),
  );
}, 280_000);
afterAll(() => undoAll(undo), 120_000);

const settle = async () => {
  await recorder.untilCommitted(60_000);
  await ends.untilSettled();
};
const billingOf = async (accountId: string) =>
  (await recorder.messaging.call(describeBilling, { accountId })).billing;

describe('the ledger', () => {
  it('the ledger has one row for each request with savings, with the figures of the request log', async () => {
    const [one, other] = [newAccountId(), newAccountId()];
    await recorder.record(one, saving(5, 0));
    await recorder.record(one, saving(0, 70));
    await recorder.record(other, saving(2, 30));
    await recorder.record(one, saving(0, 0));
    await recorder.record(one, { ...saving(9, 90), status: 'error', httpStatus: 500 });
    await recorder.record(one, { ...saving(9, 90), usage: null });
    await settle();
    const rows = await ends.readLedger([one, other]);
    expect(rows).toEqual(await ends.readLog([one, other]));
    expect(rows.map(({ estimated, compression }) => [estimated, compression])).toEqual([
      [500, 0],
      [0, 70],
      [200, 30],
    ]);
    expect(await billingOf(one)).toMatchObject({
      mode: 'self_hosted',
      plan: { id: 'self_hosted', fee_usd: 0 },
      subscription: null,
      period: {
        requests: 2,
        estimated_tokens_saved: 500,
        compression_tokens_saved: 70,
        total_tokens_saved: 570,
      },
      estimate: { total_usd: 0 },
      plans: [],
    });
  });

  it('the ledger totals each month separately', async () => {
    const accountId = newAccountId();
    const entry = (at: Date): LedgerEntry => ({
      ...{ requestId: uuidv7(), at: at.toISOString(), accountId, keyId: uuidv7() },
      ...{ estimatedTokensSaved: 100, compressionTokensSaved: 1, recoveryTokensDeducted: 0 },
    });
    const now = new Date();
    const month = (ago: number) => Date.UTC(now.getUTCFullYear(), now.getUTCMonth() - ago);
    const instants = [month(0), month(0) - 1, month(1), month(1) - 1, month(13)];
    const entries = instants.map((ms) => entry(new Date(ms)));
    await queueBatch(entries);
    const { period, history } = await billingOf(accountId);
    expect(period).toMatchObject({ requests: 1, total_tokens_saved: 101 });
    expect(history.map(({ start, requests }) => [start, requests])).toEqual([
      [new Date(month(1)).toISOString(), 2],
      [new Date(month(2)).toISOString(), 1],
    ]);
    for (const { end, start } of [period, ...history])
      expect(Date.parse(end)).toBeGreaterThan(Date.parse(start));
  });

  it('the ledger counts a request once, even if the request arrives several times or in several batches', async () => {
    const [accountId, keyId] = [newAccountId(), uuidv7()];
    const entries = Array.from({ length: 50 }, (_, at) => ({
      ...{ requestId: uuidv7(), at: new Date().toISOString(), accountId, keyId },
      ...{ estimatedTokensSaved: at + 1, compressionTokensSaved: 1, recoveryTokensDeducted: 0 },
    }));
    const changed = entries.map((entry) => ({ ...entry, estimatedTokensSaved: 999_999 }));
    await queueBatch(entries.slice(0, 30));
    await Promise.all(
      [entries, entries, changed.slice(10, 20), entries.slice(20)].map((each) => queueBatch(each)),
    );
    const rows = await ends.readLedger([accountId]);
    expect(rows.map(({ estimated }) => estimated)).toEqual(
      entries.map((entry) => entry.estimatedTokensSaved),
    );
    expect((await billingOf(accountId)).period).toMatchObject({
      requests: 50,
      estimated_tokens_saved: (50 * 51) / 2,
      compression_tokens_saved: 50,
    });
  });

  it('the ledger counts the outcome of an interrupted request as soon as the outcome is known', async () => {
    const accountId = newAccountId();
    const accepted = createAcceptedEvent({ accountId });
    const end = async (change: Parameters<typeof createEndedEvent>[1]) => {
      await recorder.spool.accept(accepted);
      recorder.spool.finish(createEndedEvent(accepted, change), null);
      await settle();
    };
    await end({ status: 'interrupted', usage: null, httpStatus: null });
    expect(await ends.readLedger([accountId])).toEqual([]);
    for (const change of [saving(4, 40), saving(8, 80)]) await end(change);
    const rows = await ends.readLedger([accountId]);
    expect(rows).toMatchObject([{ request_id: accepted.requestId, estimated: 400, compression: 40 }]);
    expect(rows).toEqual(await ends.readLog([accountId]));
  });

  it.each([
    'UPDATE ledger_entries SET estimated_tokens_saved = 0 WHERE account_id = $1',
    "UPDATE ledger_entries SET at = at - interval '1 month' WHERE account_id = $1",
    'UPDATE ledger_entries SET account_id = gen_random_uuid(), key_id = NULL WHERE account_id = $1',
    'UPDATE ledger_entries SET key_id = NULL WHERE account_id = $1',
    'DELETE FROM ledger_entries WHERE account_id = $1',
  ])('the ledger is append-only: %s', async (statement) => {
    const accountId = newAccountId();
    await recorder.record(accountId, saving(1, 1));
    await settle();
    const before = await ends.readLedger([accountId]);
    await expect(ends.billing.query(statement, [accountId])).rejects.toThrow('append-only');
    await expect(ends.billing.query('TRUNCATE ledger_entries')).rejects.toThrow('append-only');
    expect(await ends.readLedger([accountId])).toEqual(before);
  });

  it('the ledger keeps the savings of a deleted account under an anonymous name', async () => {
    const [gone, other] = [newAccountId(), newAccountId()];
    for (const accountId of [gone, other]) await recorder.record(accountId, saving(3, 30));
    await settle();
    const ids = (await ends.readLedger([gone])).map(({ request_id }) => request_id);
    const forget = () => account.call(forgetAccountBilling, { accountId: gone });
    expect(await forget()).toEqual({ isDone: true });
    expect(await forget()).toEqual({ isDone: true });
    await recorder.record(gone, saving(7, 0));
    await settle();
    expect(await ends.readLedger([gone])).toEqual([]);
    const { rows } = await ends.billing.query<{ account_id: string; key_id: null; saved: number }>(
      `SELECT account_id, key_id, estimated_tokens_saved::int AS saved FROM ledger_entries
       WHERE request_id = ANY ($1)`,
      [ids],
    );
    expect(rows).toEqual([{ account_id: expect.any(String), key_id: null, saved: 300 }]);
    expect([gone, other]).not.toContain(rows[0]!.account_id);
    expect((await billingOf(gone)).period.requests).toBe(0);
    expect((await billingOf(rows[0]!.account_id)).period).toMatchObject({
      requests: 1,
      estimated_tokens_saved: 300,
    });
    expect((await billingOf(other)).period.requests).toBe(1);
    const late = 'SELECT account_id, key_id FROM ledger_entries WHERE estimated_tokens_saved = 700';
    const named = (await ends.billing.query<{ account_id: string; key_id: null }>(late)).rows;
    expect(named).toEqual([{ account_id: expect.any(String), key_id: null }]);
    expect(named[0]!.account_id).not.toBe(gone);
  });

  it('the ledger rejects a batch that it cannot parse, and continues with the next batch', async () => {
    const id = uuidv7();
    await queue.add(
      ledgerEntryBatch.name,
      { entries: [{ requestId: 'x' }] },
      { ...ledgerEntryBatchOptions, jobId: id },
    );
    await eventually(async () => ((await queue.getJob(id)) === undefined ? true : undefined));
    const refusal = 'ledger batch refused: invalid data';
    await eventually(() => (stack.logs('billing').includes(refusal) ? true : undefined));
    const accountId = newAccountId();
    await recorder.record(accountId, saving(1, 0));
    await settle();
    expect(await ends.readLedger([accountId])).toHaveLength(1);
  });
});

/**
 * Adds a batch of ledger entries to the queue directly, in place of the worker. Waits until the billing
 * service has processed the batch.
 */
async function queueBatch(entries: readonly LedgerEntry[]): Promise<void> {
  const id = uuidv7();
  await queue.add(ledgerEntryBatch.name, { entries }, { ...ledgerEntryBatchOptions, jobId: id });
  await eventually(async () => ((await queue.getJob(id)) === undefined ? true : undefined));
}

it('the ledger matches the request log after the worker, billing, Redis and Postgres were killed between writes', async () => {
  const accounts = [newAccountId(), newAccountId()];
  const victims = ['worker', 'billing', 'redis', 'worker', 'billing', 'postgres'];
  for (const [round, victim] of victims.entries()) {
    for (let at = 0; at < 40; at++) {
      await recorder.record(accounts[at % 2]!, saving(at % 5, at % 3));
      if (at === 20) await stack.service(victim).kill('SIGKILL');
      if (at % 10 === 0) await new Promise((resolve) => setTimeout(resolve, 20 + round * 17));
    }
    await stack.service(victim).start();
  }
  // Waits until the services are ready, because killed processes are restarted.
  for (const name of ['worker', 'billing']) await stack.service(name).waitReady();
  await settle();
  const rows = await ends.readLedger(accounts);
  expect(rows).toEqual(await ends.readLog(accounts));
  // 37 of every 40 requests have savings. Requests 0, 15 and 30 have no savings.
  expect(rows).toHaveLength(victims.length * 37);
  const sums = await Promise.all(accounts.map(async (accountId) => (await billingOf(accountId)).period));
  const sum = (read: (row: (typeof rows)[number]) => number) =>
    rows.reduce((total, row) => total + read(row), 0);
  expect(sums.reduce((total, { total_tokens_saved }) => total + total_tokens_saved, 0)).toBe(
    sum(({ estimated, compression }) => estimated + compression),
  );
}, 180_000);
