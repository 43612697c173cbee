import { GatewayError } from '@gateway/errors';
import { setTimeout as waitMs } from 'node:timers/promises';
import { Admission, type AdmissionOptions, type TurnTaker } from './admission.ts';

type Reason = 'queue_full' | 'too_slow' | 'displaced';

const takers: TurnTaker[] = [];
/** Releases the requests that are still queued. */
afterEach(() => takers.splice(0).forEach(({ abort }) => abort.abort()));

function admissionOf(options: Partial<AdmissionOptions> = {}) {
  const shed: Reason[] = [];
  const admission = new Admission({
    ...{ inFlightMax: 2, queuedMax: 4, waitMsMax: 10_000 },
    metrics: {
      shed: { inc: ({ reason }: { reason: Reason }) => shed.push(reason) },
      queueSeconds: { observe: () => undefined },
      watchQueue: () => undefined,
    } as unknown as AdmissionOptions['metrics'],
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

describe('admission', () => {
  it('admits requests immediately while there is capacity', () => {
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

  it('gives the next turn to the account with the fewest requests in flight', async () => {
    const { ask, order } = admissionOf();
    const noisy = Array.from({ length: 4 }, () => ask('noisy'));
    const quiet = ask('quiet');
    noisy[0]!.leave();
    await quiet.told;
    expect(order).toEqual(['noisy', 'noisy', 'quiet']);
  });

  it('displaces a queued request from the account with the longest queue in favor of an account with a shorter one', async () => {
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

  it('rejects a request that has waited too long', async () => {
    const { ask } = admissionOf({ inFlightMax: 1, waitMsMax: 20 });
    ask('a');
    expect(await ask('a').told).toBe('overloaded');
  });

  it('skips a waiting request whose client has disconnected', async () => {
    const { ask, order } = admissionOf({ inFlightMax: 1 });
    const first = ask('a');
    const [gone, next] = [ask('b'), ask('c')];
    gone.taker.abort.abort();
    expect(await gone.told).toBe('left');
    first.leave();
    expect(await next.told).toBe('served');
    expect(order).toEqual(['a', 'c']);
  });

  it('frees one turn for each release, and only once', async () => {
    const { ask } = admissionOf({ inFlightMax: 1 });
    const first = ask('a');
    await first.told;
    first.leave();
    first.leave();
    expect([ask('a').isAtOnce, ask('a').isAtOnce]).toEqual([true, false]);
  });
});
