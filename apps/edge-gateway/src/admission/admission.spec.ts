import { GatewayError } from '@gateway/errors';
import { setTimeout as waitMs } from 'node:timers/promises';
import { Admission, type AdmissionOptions, type TurnTaker } from './admission.ts';
import { ByteLedger } from './byte-ledger.ts';

type Reason = 'queue_full' | 'too_slow' | 'displaced' | 'account_in_flight' | 'account_memory';

const takers: TurnTaker[] = [];
/** Releases the requests that are still waiting in the queue. */
afterEach(() => takers.splice(0).forEach(({ abort }) => abort.abort()));

function admissionOf(options: Partial<AdmissionOptions> = {}) {
  const shed: Reason[] = [];
  const metrics = {
    shed: { inc: ({ reason }: { reason: Reason }) => shed.push(reason) },
    queueSeconds: { observe: () => undefined },
    watchQueue: () => undefined,
    watchHeldBytes: () => undefined,
  } as unknown as AdmissionOptions['metrics'] & ConstructorParameters<typeof ByteLedger>[0]['metrics'];
  const ledger = { capacity: 1024 * 1024, accountShare: 0.75, metrics };
  const admission = new Admission({
    // One account may use every request slot, unless a test sets a lower account share.
    ...{ inFlightMax: 2, accountShare: 1, queuedMax: 4, waitMsMax: 10_000 },
    memory: new ByteLedger({ ...ledger, place: 'memory' }),
    disk: new ByteLedger({ ...ledger, place: 'disk' }),
    metrics,
    ...options,
  });
  const order: string[] = [];
  const ask = (accountId: string) => {
    const taker: TurnTaker = { turn: null, abort: new AbortController() };
    takers.push(taker);
    let isAtOnce = false;
    const enter = async (): Promise<void> => {
      const waiting = admission.enter(accountId, taker);
      isAtOnce = waiting === undefined;
      await waiting;
    };
    const told = enter().then(
      () => {
        order.push(accountId);
        return 'served';
      },
      (error: unknown) => (error instanceof GatewayError ? error.code : 'left'),
    );
    return { taker, told, isAtOnce, leave: () => admission.leave(taker) };
  };
  return { ask, order, shed };
}

describe('the number of request slots that one account may use', () => {
  it('one account cannot fill every request slot: a request of another account starts immediately', () => {
    const { ask } = admissionOf({ inFlightMax: 10, accountShare: 0.8 });
    const noisy = Array.from({ length: 20 }, () => ask('noisy'));
    expect(noisy.filter(({ isAtOnce }) => isAtOnce)).toHaveLength(8);
    expect([ask('quiet').isAtOnce, ask('another').isAtOnce]).toEqual([true, true]);
  });

  it('is lower while other accounts are busy', () => {
    const { ask } = admissionOf({ inFlightMax: 100, accountShare: 0.8, queuedMax: 1_000 });
    const atOnce = (accountId: string): number =>
      Array.from({ length: 100 }, () => ask(accountId)).filter(({ isAtOnce }) => isAtOnce).length;
    expect(['first', 'second', 'third'].map(atOnce)).toEqual([80, 16, 3]);
    expect(ask('quiet').isAtOnce).toBe(true);
  });

  it('never exceeds a fixed maximum', () => {
    const { ask } = admissionOf({ inFlightMax: 10, accountShare: 1, accountInFlightMax: 3 });
    expect(Array.from({ length: 5 }, () => ask('a')).map(({ isAtOnce }) => isAtOnce)).toEqual([
      ...[true, true, true],
      ...[false, false],
    ]);
  });

  it('is named in the error when a request exceeds the limit', async () => {
    const { ask, shed } = admissionOf({ inFlightMax: 4, accountShare: 0.5, queuedMax: 2, waitMsMax: 20 });
    const [first, second, late] = [ask('a'), ask('a'), ask('a')];
    expect([first.isAtOnce, second.isAtOnce, late.isAtOnce]).toEqual([true, true, false]);
    await expect(late.told).resolves.toBe('overloaded');
    expect(shed).toEqual(['account_in_flight']);
  });

  it('lets a waiting request of an account start once another request of the account has ended', async () => {
    const { ask } = admissionOf({ inFlightMax: 4, accountShare: 0.5 });
    const [first, , waiting] = [ask('a'), ask('a'), ask('a')];
    first.leave();
    await expect(waiting.told).resolves.toBe('served');
  });

  it('also depends on the bytes that the account’s requests hold in memory until each request ends', () => {
    const { ask } = admissionOf();
    const first = ask('a');
    first.taker.turn?.memory.add(700_000);
    const second = ask('a');
    expect(() => second.taker.turn?.memory.add(500_000)).toThrow(GatewayError);
    first.leave();
    expect(() => second.taker.turn?.memory.add(500_000)).not.toThrow();
  });
});

describe('the admission of requests', () => {
  it('starts requests immediately while request slots are free', () => {
    const { ask } = admissionOf();
    expect([ask('a'), ask('a'), ask('a')].map(({ isAtOnce }) => isAtOnce)).toEqual([true, true, false]);
  });

  it('rejects a request immediately if the queue is full, and returns a retry time', async () => {
    const { ask, shed } = admissionOf();
    const asked = Array.from({ length: 6 }, () => ask('a'));
    // Half of the queue is reserved for other accounts.
    expect(await Promise.all(asked.slice(4).map(({ told }) => told))).toEqual(['overloaded', 'overloaded']);
    expect(shed).toEqual(['queue_full', 'queue_full']);
  });

  it('starts the next request of the account with the fewest requests in flight', async () => {
    const { ask, order } = admissionOf();
    const noisy = Array.from({ length: 4 }, () => ask('noisy'));
    const quiet = ask('quiet');
    noisy[0]!.leave();
    await quiet.told;
    expect(order).toEqual(['noisy', 'noisy', 'quiet']);
  });

  it('removes a queued request of the account with the longest queue in favor of an account with a shorter queue', async () => {
    const { ask, shed } = admissionOf();
    const [first] = [ask('a'), ask('a')];
    const waiting = ['a', 'a', 'b', 'b'].map(ask);
    const late = ask('c');
    expect(shed).toEqual(['displaced']);
    expect(await Promise.race([waiting[1]!.told, waitMs(50, 'waits')])).toBe('overloaded');
    first.leave();
    expect(await Promise.race([waiting[2]!.told, late.told])).toBe('served');
  });

  it('rejects a request immediately if its expected wait is too long', async () => {
    let time = 0;
    const { ask } = admissionOf({ inFlightMax: 1, waitMsMax: 100, now: () => time });
    for (let at = 0; at < 100; at += 1) {
      const { leave } = ask('a');
      time += 200;
      leave();
    }
    ask('a');
    expect(await ask('a').told).toBe('overloaded');
  });

  it('rejects a request that has waited too long in the queue', async () => {
    const { ask } = admissionOf({ inFlightMax: 1, waitMsMax: 20 });
    ask('a');
    expect(await ask('a').told).toBe('overloaded');
  });

  it('skips a waiting request if its client has disconnected', async () => {
    const { ask, order } = admissionOf({ inFlightMax: 1 });
    const first = ask('a');
    const [gone, next] = [ask('b'), ask('c')];
    gone.taker.abort.abort();
    expect(await gone.told).toBe('left');
    first.leave();
    expect(await next.told).toBe('served');
    expect(order).toEqual(['a', 'c']);
  });

  it('frees one request slot for each released request, and only once', async () => {
    const { ask } = admissionOf({ inFlightMax: 1 });
    const first = ask('a');
    await first.told;
    first.leave();
    first.leave();
    expect([ask('a').isAtOnce, ask('a').isAtOnce]).toEqual([true, false]);
  });
});

it('a large request pauses between its steps only while another account is active', async () => {
  const { ask } = admissionOf({ inFlightMax: 10 });
  const work = (): void => {
    const endAt = performance.now() + 20;
    while (performance.now() < endAt);
  };
  /** Returns how long a large request must pause between two steps, in milliseconds. */
  const pauseOf = async ({ turn }: TurnTaker): Promise<number> => {
    await turn?.pause();
    work();
    const startedAt = performance.now();
    await turn?.pause();
    return performance.now() - startedAt;
  };
  const busy = ask('busy').taker;
  await pauseOf(busy);
  ask('quiet');
  // The first step used at least 16 ms of processor time. The account's burst allowance covers 8 ms.
  // The account may use only a third of the processor time, so the account must pause for more than 20 ms.
  expect(await pauseOf(busy)).toBeGreaterThan(20);
});
