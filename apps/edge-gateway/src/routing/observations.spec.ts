import { Observations } from './observations.ts';
import {
  addSums,
  decaySums,
  emptySums,
  latencyHalfLifeMs,
  type Sums,
  type SumsByName,
} from './observation-store.port.ts';

/** An in-memory replacement for the Redis store, with a clock that the test controls. */
function worldOf() {
  let time = 1_000_000;
  let isAway = false;
  const kept = new Map<string, SumsByName>();
  const store = {
    add: (accountId: string, added: ReadonlyMap<string, Sums>, halfLifeMs: (name: string) => number) => {
      if (isAway) return Promise.reject(new Error('away'));
      const sums = kept.get(accountId) ?? new Map<string, Sums>();
      kept.set(accountId, sums);
      for (const [name, more] of added) {
        const before = decaySums(sums.get(name) ?? emptySums(time), time, halfLifeMs(name));
        sums.set(name, addSums(before, { ...more, at: time }));
      }
      return Promise.resolve(new Map(sums));
    },
  };
  const forget = (accountId: string) => Promise.resolve(kept.delete(accountId));
  const replicas: Observations[] = [];
  const open = () => {
    const made = new Observations({
      store: { ...store, forget },
      log: { debug: () => undefined },
      now: () => time,
    });
    replicas.push(made);
    return made;
  };
  return {
    open,
    pass: (ms: number) => (time += ms),
    setAway: (away: boolean) => (isAway = away),
    close: () => replicas.forEach((replica) => replica.close()),
  };
}

let world: ReturnType<typeof worldOf>;
beforeEach(() => (world = worldOf()));
afterEach(() => world.close());

const settle = () => new Promise((resolve) => setImmediate(resolve));
const seen = (firstTokenMs: number) => ({ firstTokenMs, msPerToken: 10 });

describe('a measured response time', () => {
  it('is available immediately in this process, and in other processes after a sync', async () => {
    const [one, other] = [world.open(), world.open()];
    one.noteAnswer('a', 'p/m', seen(100));
    one.noteAnswer('a', 'p/m', seen(300));
    expect((await one.read('a')).latency('p/m')).toEqual({ firstTokenMs: 200, msPerToken: 10, weight: 2 });
    one.flush();
    await settle();
    expect((await other.read('a')).latency('p/m')).toEqual({ firstTokenMs: 200, msPerToken: 10, weight: 2 });
    expect((await other.read('b')).latency('p/m')).toBeUndefined();
  });

  it('is counted once, even if the totals are synced and read several times', async () => {
    const one = world.open();
    for (let round = 0; round < 5; round += 1) {
      one.noteAnswer('a', 'p/m', seen(100));
      one.flush();
      await settle();
      await one.read('a');
    }
    expect((await one.read('a')).latency('p/m')?.weight).toBeCloseTo(5);
    expect((await one.read('a')).answers).toBeCloseTo(5);
  });

  it('has half its weight after one half-life, and less weight than newer response times', async () => {
    const one = world.open();
    one.noteAnswer('a', 'p/m', seen(1_000));
    one.flush();
    await settle();
    world.pass(latencyHalfLifeMs);
    one.noteAnswer('a', 'p/m', seen(100));
    one.flush();
    await settle();
    const known = (await one.read('a')).latency('p/m');
    expect(known?.weight).toBeCloseTo(1.5);
    expect(known?.firstTokenMs).toBeCloseTo((1_000 / 2 + 100) / 1.5);
  });

  it('stays local while the store is unavailable, and is synced later', async () => {
    const [one, other] = [world.open(), world.open()];
    world.setAway(true);
    one.noteAnswer('a', 'p/m', seen(100));
    one.flush();
    await settle();
    expect((await one.read('a')).latency('p/m')?.weight).toBe(1);
    world.setAway(false);
    one.flush();
    await settle();
    world.pass(6_000);
    expect((await other.read('a')).latency('p/m')?.weight).toBeCloseTo(1, 1);
  });

  it('is removed together with its account', async () => {
    const [one, other] = [world.open(), world.open()];
    one.noteAnswer('a', 'p/m', seen(100));
    one.flush();
    await settle();
    one.forget('a');
    await settle();
    for (const replica of [one, other]) expect((await replica.read('a')).latency('p/m')).toBeUndefined();
  });

  it('has no time per token if the response is too short', async () => {
    const one = world.open();
    one.noteAnswer('a', 'p/m', { firstTokenMs: 50, msPerToken: null });
    expect((await one.read('a')).latency('p/m')).toEqual({ firstTokenMs: 50, msPerToken: null, weight: 1 });
  });
});
