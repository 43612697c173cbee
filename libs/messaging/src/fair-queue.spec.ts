import { setTimeout as sleep } from 'node:timers/promises';
import { FairQueue, type FairQueueOptions, type RefusedReason } from './fair-queue.ts';

const options: FairQueueOptions = {
  slots: 2,
  slotsPerAccount: 1,
  waitingPerAccountMax: 3,
  waitingMax: 5,
  waitMsMax: 5_000,
};

/** A function that runs until the test ends it. */
function heldWork() {
  const { promise, resolve } = Promise.withResolvers<undefined>();
  return { run: () => promise, end: () => resolve(undefined) };
}

describe('a queue shared by accounts', () => {
  it('runs at most the account’s share of calls at the same time, and all calls of the account in order', async () => {
    const queue = new FairQueue(options);
    const order: number[] = [];
    let [running, most] = [0, 0];
    const work = async (at: number) => {
      running += 1;
      most = Math.max(most, running);
      await sleep(1);
      order.push(at);
      running -= 1;
    };
    await Promise.all([0, 1, 2, 3].map((at) => queue.run('one', () => work(at))));
    expect({ order, most }).toEqual({ order: [0, 1, 2, 3], most: 1 });
    expect(queue).toMatchObject({ waiting: 0, running: 0 });
  });

  it('gives free slots to the accounts in turn, however many calls one account has', async () => {
    const queue = new FairQueue({ ...options, slots: 1 });
    const first = heldWork();
    const started: string[] = [];
    const note = (name: string) => () => void started.push(name);
    const calls = [
      queue.run('greedy', first.run),
      queue.run('greedy', note('greedy')),
      queue.run('greedy', note('greedy')),
      queue.run('quiet', note('quiet')),
      queue.run('other', note('other')),
    ];
    first.end();
    await Promise.all(calls);
    expect(started).toEqual(['quiet', 'other', 'greedy', 'greedy']);
  });

  it('runs the short calls of an account one at a time only while other accounts are active', async () => {
    const queue = new FairQueue({ ...options, slotsPerAccount: 2, spacingMs: 60_000 });
    let [running, most] = [0, 0];
    const work = async () => {
      running += 1;
      most = Math.max(most, running);
      await sleep(1);
      running -= 1;
    };
    const sendAll = () => Promise.all([0, 1, 2].map(() => queue.run('one', work)));
    await sendAll();
    expect(most).toBe(2);
    await queue.run('other', () => undefined);
    most = 0;
    await sendAll();
    expect(most).toBe(1);
  });

  it('lets a long call delay the next call of its account only for the spacing', async () => {
    const queue = new FairQueue({ ...options, slotsPerAccount: 2, spacingMs: 20 });
    await queue.run('other', () => undefined);
    const long = heldWork();
    const first = queue.run('one', long.run);
    await expect(queue.run('one', () => 'served')).resolves.toBe('served');
    long.end();
    await first;
    expect(queue).toMatchObject({ waiting: 0, running: 0 });
  });

  it('rejects a call of an account with too many waiting calls with 429, and still serves other accounts', async () => {
    const refused: RefusedReason[] = [];
    const queue = new FairQueue({ ...options, onRefused: (reason) => refused.push(reason) });
    const held = heldWork();
    const calls = Array.from({ length: 4 }, () => queue.run('greedy', held.run));
    const error = await queue.run('greedy', held.run).catch((thrown: unknown) => thrown);
    expect(error).toMatchObject({ code: 'rate_limit_exceeded', retryAfterMs: 1_000 });
    await expect(queue.run('quiet', () => 'served')).resolves.toBe('served');
    held.end();
    await Promise.all(calls);
    expect(refused).toEqual(['account_full']);
  });

  it('limits the calls of all accounts together', async () => {
    const queue = new FairQueue({ ...options, slots: 1 });
    const held = heldWork();
    const calls = Array.from({ length: 6 }, (_, at) => queue.run(`account ${at}`, held.run));
    await expect(queue.run('another', held.run)).rejects.toMatchObject({ code: 'service_unavailable' });
    held.end();
    await Promise.all(calls);
  });

  it('rejects a call that gets no slot in time, and then removes the call from the queue', async () => {
    const queue = new FairQueue({ ...options, slots: 1, waitMsMax: 10 });
    const held = heldWork();
    const first = queue.run('one', held.run);
    await expect(queue.run('two', held.run)).rejects.toMatchObject({ code: 'service_unavailable' });
    expect(queue.waiting).toBe(0);
    held.end();
    await first;
    await expect(queue.run('two', () => 'served')).resolves.toBe('served');
  });

  it('frees the slot of work that fails', async () => {
    const queue = new FairQueue({ ...options, slots: 1 });
    await expect(queue.run('one', () => Promise.reject(new Error('broken')))).rejects.toThrow('broken');
    await expect(queue.run('two', () => 'served')).resolves.toBe('served');
  });
});
