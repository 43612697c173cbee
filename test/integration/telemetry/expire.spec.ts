import { summarizeUsage } from '@gateway/contracts';
import { createAcceptedEvent, createEndedEvent, startStack } from '@gateway/testing';
import pg from 'pg';
import { uuidv7 } from 'uuidv7';
import {
  dropEmptyPartitions,
  expireAccount,
  listAccountsWithOldRows,
} from '../../../apps/worker/src/jobs/expire/expire.ts';
import { choosePartition, Partitions } from '../../../apps/worker/src/persistence/partitions.ts';
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

test('rows go when their account keeps them no longer, with the sums that hold them; others’ stay', async () => {
  const nowMs = Date.now();
  const [own, other] = [newAccountId(), newAccountId()];
  await recordAt(own, [0.01, 1, 6, 8, 9, 40], nowMs);
  await recordAt(other, [40], nowMs);
  expect(await listAccountsWithOldRows(database, nowMs)).toEqual(expect.arrayContaining([own, other]));
  expect(await expireAccount(database, own, 7, nowMs)).toBe(3);
  expect((await listAll(recorder.messaging, own)).requests).toHaveLength(3);
  expect((await listAll(recorder.messaging, other)).requests).toHaveLength(1);
  expect([await countHours(own), await countHours(other)]).toEqual([3, 1]);
  const span = {
    from: new Date(nowMs - 60 * dayMs).toISOString(),
    to: new Date(nowMs + dayMs).toISOString(),
  };
  const { figures } = await recorder.messaging.call(summarizeUsage, { accountId: own, ...span });
  expect(figures.requests).toBe(3);
  expect(await expireAccount(database, own, 7, nowMs)).toBe(0);
});

test('a month without rows is dropped, and made again by an event that comes late', async () => {
  const nowMs = Date.now();
  const accountId = newAccountId();
  await recordAt(accountId, [200], nowMs);
  const { name } = choosePartition(nowMs - 200 * dayMs);
  const partitions = new Partitions(database);
  expect(await dropEmptyPartitions(database, partitions, nowMs)).not.toContain(name);
  await expireAccount(database, accountId, 30, nowMs);
  expect(await dropEmptyPartitions(database, partitions, nowMs)).toContain(name);
  // The worker still remembers the month.
  await recordAt(accountId, [200], nowMs);
  expect((await listAll(recorder.messaging, accountId)).requests).toHaveLength(1);
});
