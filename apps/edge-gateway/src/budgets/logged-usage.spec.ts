import { UsageLoads, type LoggedUsage } from './logged-usage.ts';

const { jest } = import.meta;

const usage: LoggedUsage = new Map([['key', { day: 20_000, today: 1, thisWeek: 2 }]]);

beforeEach(() => {
  jest.useFakeTimers();
});
afterEach(() => {
  jest.useRealTimers();
});

it('all keys of an account share one read', async () => {
  const accounts: string[] = [];
  const loads = new UsageLoads((accountId) => {
    accounts.push(accountId);
    return Promise.resolve(usage);
  });
  const answers = await Promise.all(Array.from({ length: 1_000 }, () => loads.load('one')));
  expect(new Set(answers)).toEqual(new Set([usage]));
  await loads.load('other');
  expect(accounts).toEqual(['one', 'other']);
  await jest.advanceTimersByTimeAsync(2_000);
  await loads.load('one');
  expect(accounts).toEqual(['one', 'other', 'one']);
});

it('repeats a failed read after pauses that grow to a minute, until the log answers', async () => {
  const startedMs = Date.now();
  const reads: number[] = [];
  let isUp = false;
  const loads = new UsageLoads(() => {
    reads.push((Date.now() - startedMs) / 1_000);
    return isUp ? Promise.resolve(usage) : Promise.reject(new Error('away'));
  });
  const load = loads.load('one');
  await jest.advanceTimersByTimeAsync(200_000);
  expect(reads).toEqual([0, 2, 6, 14, 30, 62, 122, 182]);
  isUp = true;
  await jest.advanceTimersByTimeAsync(60_000);
  expect(await load).toBe(usage);
});

it('reads the usage of at most four accounts at the same time', async () => {
  const pending: (() => void)[] = [];
  let running = 0;
  let most = 0;
  const loads = new UsageLoads(async () => {
    most = Math.max(most, (running += 1));
    await new Promise<void>((resolve) => pending.push(resolve));
    running -= 1;
    return usage;
  });
  const all = Promise.all(Array.from({ length: 50 }, (_, at) => loads.load(`account ${at}`)));
  for (let at = 0; at < 50; at += 1) {
    await jest.advanceTimersByTimeAsync(0);
    pending.shift()!();
  }
  expect(await all).toHaveLength(50);
  expect(most).toBe(4);
});

it('repeats no read after the close', async () => {
  let reads = 0;
  const loads = new UsageLoads(() => {
    reads += 1;
    return Promise.reject(new Error('away'));
  });
  const load = loads.load('one');
  loads.close();
  await jest.advanceTimersByTimeAsync(10_000);
  expect((await load).size).toBe(0);
  expect(reads).toBe(1);
});
