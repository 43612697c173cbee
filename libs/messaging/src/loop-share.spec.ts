import { setImmediate as nextTurn, setTimeout as sleep } from 'node:timers/promises';
import { LoopShare, type LoopShareOptions, type Pieces } from './loop-share.ts';

const jobs = { slots: 8, slotsPerAccount: 1, waitingPerAccountMax: 2, waitingMax: 8, waitMsMax: 5_000 };

/** A loop share with a clock that advances only when the work in the test advances it. */
function openShare(options: Partial<LoopShareOptions> = {}) {
  let now = 0;
  const ran: string[] = [];
  const share = new LoopShare({
    ...{ pieceMs: 2, contendedShare: 0.5, burstMs: 1_000, jobs, now: () => now },
    ...options,
  });
  /** Creates work with the given number of steps, each of which takes one millisecond. */
  function* work(name: string, steps: number): Pieces<string> {
    for (let step = 0; step < steps; step += 1) {
      now += 1;
      ran.push(name);
      yield;
    }
    return `${name} is done`;
  }
  return { share, ran, work, wait: (ms: number) => (now += ms) };
}

async function eventually(isTrue: () => boolean): Promise<void> {
  while (!isTrue()) await sleep(1);
}

describe('an event loop shared by accounts', () => {
  it('runs short work immediately', () => {
    const { share, ran, work } = openShare();
    expect(share.run('one', work('short', 1))).toBe('short is done');
    expect(ran).toEqual(['short']);
  });

  it('lets other work run between the pieces of long work, one piece per turn of the event loop', async () => {
    const { share, ran, work } = openShare();
    const long = share.run('one', work('long', 20));
    for (let before = ran.length; ran.length < 20; before = ran.length) {
      await nextTurn();
      expect(ran.length - before).toBeLessThanOrEqual(2);
    }
    await expect(long).resolves.toBe('long is done');
  });

  it('runs the accounts in turn, and the work of one account in order', async () => {
    const { share, ran, work } = openShare();
    await Promise.all([
      share.runInTurn('greedy', work('a', 4)),
      share.runInTurn('greedy', work('b', 4)),
      share.runInTurn('quiet', work('q', 4)),
    ]);
    expect(ran.join('')).toBe('aaqqaaqqbbbb');
  });

  it('returns the error of failed long work to its caller, and runs the remaining work', async () => {
    const { share, work } = openShare();
    function* broken(): Pieces<never> {
      yield* work('broken', 3);
      throw new Error('no such tool');
    }
    const failed = share.run('one', broken());
    const next = share.runInTurn('one', work('next', 3));
    await expect(failed).rejects.toThrow('no such tool');
    await expect(next).resolves.toBe('next is done');
  });

  it('limits an account to its share while another account is active, and only then', async () => {
    const alone = openShare({ burstMs: 4 });
    alone.share.note('greedy');
    await alone.share.runInTurn('greedy', alone.work('g', 100));
    expect(alone.ran).toHaveLength(100);

    const contended = openShare({ burstMs: 4 });
    contended.share.note('greedy');
    contended.share.note('quiet');
    const greedy = contended.share.runInTurn('greedy', contended.work('g', 40));
    for (let turn = 0; turn < 50; turn += 1) await nextTurn();
    expect(contended.ran.length).toBeLessThan(12);
    // The account `greedy` may now run a few more pieces of work, but not all pieces.
    const before = contended.ran.length;
    contended.wait(8);
    await eventually(() => contended.ran.length > before);
    for (let turn = 0; turn < 50; turn += 1) await nextTurn();
    expect(contended.ran.length).toBeLessThan(32);
    // After two seconds, `greedy` is the only active account.
    contended.wait(2_000);
    await greedy;
    expect(contended.ran).toHaveLength(40);
  });

  it('runs one job of an account at a time, and rejects the jobs beyond its share', async () => {
    const { share } = openShare();
    const held = Promise.withResolvers<undefined>();
    const hold = () => share.admit('greedy', () => held.promise);
    const admitted = [hold(), hold(), hold()];
    expect(share.waiting).toBe(2);
    await expect(hold()).rejects.toMatchObject({ code: 'rate_limit_exceeded' });
    await expect(share.admit('quiet', () => Promise.resolve('served'))).resolves.toBe('served');
    held.resolve(undefined);
    await Promise.all(admitted);
    expect(share.waiting).toBe(0);
  });
});
