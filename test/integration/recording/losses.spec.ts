import { startStack } from '@gateway/testing';
import { Redis } from 'ioredis';
import { eventually, undoAll, type Stack, type Undo } from '../stack.fixture.ts';
import { listAll, newAccountId, startRecorder, type Recorder } from './recorder.fixture.ts';

const undo: Undo[] = [];
let stack: Stack;
let recorder: Recorder;

beforeAll(async () => {
  stack = await startStack({ apps: ['worker'] });
  undo.push(() => stack.stop());
  recorder = await startRecorder(stack);
  undo.push(() => recorder.close());
}, 180_000);
afterAll(() => undoAll(undo), 120_000);

/** Records requests until shortly after `disturb` has finished. */
async function recordWhile(accountId: string, disturb: () => Promise<void>): Promise<string[]> {
  const ids: string[] = [];
  const state = { disturbed: false };
  const disturbance = disturb().finally(() => (state.disturbed = true));
  for (let extra = 0; extra < 50; extra += state.disturbed ? 1 : 0) {
    ids.push((await recorder.record(accountId)).requestId);
    await new Promise((resolve) => setTimeout(resolve, 2));
  }
  await disturbance;
  return ids;
}

async function expectEachOnce(accountId: string, ids: readonly string[]): Promise<void> {
  await recorder.untilCommitted(40_000);
  const { total, requests } = await listAll(recorder.messaging, accountId);
  expect(total).toBe(ids.length);
  expect(requests.map(({ id }) => id).toSorted()).toEqual(ids.toSorted());
}

const pause = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));

describe('every accepted request has exactly one row after a kill', () => {
  it('every accepted request has exactly one row, although the worker is killed', async () => {
    const accountId = newAccountId();
    const ids = await recordWhile(accountId, async () => {
      for (let round = 0; round < 3; round += 1) {
        await pause(150);
        await stack.service('worker').kill();
        await stack.service('worker').start();
      }
    });
    await expectEachOnce(accountId, ids);
  }, 90_000);

  it('every accepted request has exactly one row, although Redis is killed and restarts without its data', async () => {
    const accountId = newAccountId();
    const ids = await recordWhile(accountId, async () => {
      await pause(150);
      await stack.service('worker').stop();
      await pause(300);
      const redis = new Redis(stack.dev.redis_url);
      expect(await redis.dbsize()).toBeGreaterThan(0);
      await redis.flushall();
      redis.disconnect();
      await stack.service('redis').kill();
      await pause(500);
      await stack.service('redis').start();
      await stack.service('worker').start();
    });
    await expectEachOnce(accountId, ids);
  }, 90_000);

  it('every accepted request has exactly one row, although Postgres is killed', async () => {
    const accountId = newAccountId();
    const ids = await recordWhile(accountId, async () => {
      await pause(150);
      await stack.service('postgres').kill();
      await pause(1000);
      await stack.service('postgres').start();
    });
    await expectEachOnce(accountId, ids);
  }, 90_000);

  it('every accepted request has exactly one row, although NATS is killed and confirmations from the worker are lost', async () => {
    const accountId = newAccountId();
    const ids = await recordWhile(accountId, async () => {
      await pause(150);
      await stack.service('nats').kill();
      await pause(1000);
      await stack.service('nats').start();
    });
    await eventually(() => (recorder.messaging.connected ? true : null));
    await expectEachOnce(accountId, ids);
  }, 90_000);
});

describe('a Redis server that evicts', () => {
  it('on startup, the worker rejects a Redis server that evicts keys', async () => {
    const redis = new Redis(stack.dev.redis_url);
    await redis.config('SET', 'maxmemory-policy', 'allkeys-lru');
    await stack.service('worker').kill();
    await Promise.race([
      stack
        .service('worker')
        .start()
        .catch(() => undefined),
      pause(8000),
    ]);
    await eventually(() => (stack.logs('worker').includes('must have \\"noeviction\\"') ? true : null));
    await eventually(() => (stack.service('worker').pid === null ? true : null));
    redis.disconnect();
  }, 90_000);
});
