import { listCredentials } from '@gateway/contracts';
import { GatewayError } from '@gateway/errors';
import { connectMessaging } from '@gateway/messaging';
import { createScope, currentScope, runInScope } from '@gateway/observability';
import { RemoteCache, retryWhileUnreached } from './remote-cache.ts';

function cacheOf(
  load: (key: string) => Promise<string | null>,
  over: { arrive?: () => boolean; now?: () => number } = {},
) {
  return new RemoteCache<string | null>({
    entriesMax: 10,
    freshMs: 1_000,
    staleMs: 10_000,
    load,
    broadcastsArrive: over.arrive ?? (() => true),
    ...(over.now ? { now: over.now } : {}),
  });
}

describe('a cache for responses of another service', () => {
  it('loads a response once for concurrent callers', async () => {
    let asked = 0;
    const cache = cacheOf(() => Promise.resolve(String((asked += 1))));
    expect(await Promise.all([cache.get('a'), cache.get('a'), cache.get('a')])).toEqual(['1', '1', '1']);
    expect(await cache.get('a')).toBe('1');
    expect(asked).toBe(1);
  });

  it('never caches a response that was requested before an invalidation', async () => {
    const answers: ((value: string) => void)[] = [];
    const cache = cacheOf(() => new Promise((resolve) => answers.push(resolve)));
    const early = cache.get('a');
    cache.invalidate(() => true);
    answers[0]?.('old');
    expect(await early).toBe('old');
    const late = cache.get('a');
    answers[1]?.('new');
    expect(await late).toBe('new');
    expect(cache.peek('a')).toBe('new');
  });

  it('uses an expired response while the other service is unavailable, but only if change broadcasts arrive', async () => {
    let time = 0;
    let up = true;
    let arrive = true;
    const load = () => (up ? Promise.resolve('value') : Promise.reject(new Error('away')));
    const cache = cacheOf(load, { arrive: () => arrive, now: () => time });
    await cache.get('a');
    up = false;
    time = 5_000;
    expect(await cache.get('a')).toBe('value');
    arrive = false;
    await expect(cache.get('a')).rejects.toThrow('away');
    arrive = true;
    time = 20_000;
    await expect(cache.get('a')).rejects.toThrow('away');
  });

  it('removes expired responses that are no longer requested', async () => {
    let time = 0;
    const cache = cacheOf(() => Promise.resolve('value'), { now: () => time });
    await cache.get('a');
    time = 10_999;
    cache.dropExpired();
    expect(cache.kept('a')).toBe('value');
    time = 11_000;
    cache.dropExpired();
    expect(cache.kept('a')).toBeUndefined();
  });

  it('reloads responses after a broken connection, and uses an old response no longer than during an outage', async () => {
    let time = 0;
    let answer: string | Error = 'old';
    const load = () => (answer instanceof Error ? Promise.reject(answer) : Promise.resolve(answer));
    const cache = cacheOf(load, { now: () => time });
    await cache.get('a');
    time = 500;
    cache.doubtAll();
    expect(cache.peek('a')).toBeUndefined();
    answer = new Error('not back yet');
    expect(await cache.get('a')).toBe('old');
    answer = 'new';
    expect(await cache.get('a')).toBe('new');
    answer = new Error('not back yet');
    cache.doubtAll();
    time = 1_500;
    await expect(cache.get('a')).rejects.toThrow('not back yet');
  });

  it('also caches null, and removes the cached null on invalidation', async () => {
    let value: string | null = null;
    const cache = cacheOf(() => Promise.resolve(value));
    expect(await cache.get('a')).toBeNull();
    value = 'there';
    expect(await cache.get('a')).toBeNull();
    cache.invalidate(() => true);
    expect(await cache.get('a')).toBe('there');
  });

  it('returns an expired response while the other service hangs, with one load in the background', async () => {
    let time = 0;
    const answers: ((value: string) => void)[] = [];
    const cache = cacheOf(() => new Promise((resolve) => answers.push(resolve)), { now: () => time });
    const first = cache.get('a');
    answers[0]?.('old');
    await first;
    time = 2_000;
    expect(await cache.get('a')).toBe('old');
    // The first caller that received the expired response waited for a short time. Later callers do not wait.
    const order: unknown[] = [];
    const immediate = new Promise((resolve) => setImmediate(resolve)).then(() => order.push('next turn'));
    await Promise.all([cache.get('a').then((value) => order.push(value)), immediate]);
    expect(order).toEqual(['old', 'next turn']);
    expect(answers).toHaveLength(2);
    answers[1]?.('new');
    await new Promise(setImmediate);
    expect(await cache.get('a')).toBe('new');
  });

  it('does not return an expired response if a change arrives while its load hangs', async () => {
    let time = 0;
    const answers: ((value: string) => void)[] = [];
    const cache = cacheOf(() => new Promise((resolve) => answers.push(resolve)), { now: () => time });
    const first = cache.get('a');
    answers[0]?.('old');
    await first;
    time = 2_000;
    const waiting = cache.get('a');
    cache.invalidate(() => true);
    answers[1]?.('loaded');
    expect(await waiting).toBe('loaded');
    const late = cache.get('a');
    answers[2]?.('new');
    expect(await late).toBe('new');
  });

  it('remembers a load that timed out for a second', async () => {
    let time = 0;
    let loads = 0;
    const load = () => {
      time += 500;
      return Promise.reject(new Error(`away ${(loads += 1)}`));
    };
    const cache = cacheOf(load, { now: () => time });
    await expect(cache.get('a')).rejects.toThrow('away 1');
    await expect(cache.get('a')).rejects.toThrow('away 1');
    await expect(cache.get('b')).rejects.toThrow('away 2');
    time += 900;
    await expect(cache.get('a')).rejects.toThrow('away 3');
    cache.doubtAll();
    await expect(cache.get('a')).rejects.toThrow('away 4');
  });
});

describe('the time budget of requests that share a load', () => {
  const late = () => ({ ...createScope(), lostMs: 60_000 });

  it('does not shorten the load of other requests', async () => {
    const answers: ((value: string) => void)[] = [];
    const budgets: unknown[] = [];
    const cache = cacheOf(() => {
      budgets.push(currentScope()?.lostMs);
      return new Promise((resolve) => answers.push(resolve));
    });
    const starting = runInScope(late(), () => cache.get('a'));
    const sharing = runInScope(createScope(), () => cache.get('a'));
    await expect(starting).rejects.toMatchObject({ code: 'service_unavailable' });
    answers[0]?.('loaded');
    expect(await sharing).toBe('loaded');
    expect(budgets).toEqual([0]);
  });

  it('is charged for the time of a failed load, for each request', async () => {
    const fail: ((error: Error) => void)[] = [];
    const cache = cacheOf(() => new Promise((_, reject) => fail.push(reject)));
    const scopes = [createScope(), createScope()];
    const waiting = scopes.map((scope) => runInScope(scope, () => cache.get('a')));
    setTimeout(() => fail[0]?.(new Error('away')), 20);
    for (const each of waiting) await expect(each).rejects.toThrow('away');
    for (const { lostMs } of scopes) expect(lostMs).toBeGreaterThan(10);
  });
});

describe('retryWhileUnreached', () => {
  /** The error of a call that no server received, because the connection to the message bus was down. */
  async function unreached(): Promise<GatewayError> {
    const messaging = await connectMessaging({
      ...{ url: 'nats://127.0.0.1:1', user: '', password: '' },
      ...{ name: 'test', instanceId: 'test' },
    });
    const error: unknown = await messaging
      .call(listCredentials, { accountId })
      .catch((thrown: unknown) => thrown);
    await messaging.close();
    return error as GatewayError;
  }
  const accountId = '00000000-0000-7000-8000-000000000001';
  const failing = (failure: Error, times: number) => {
    let asked = 0;
    const ask = (): Promise<number> => {
      asked += 1;
      return asked <= times ? Promise.reject(failure) : Promise.resolve(asked);
    };
    return { ask, count: () => asked };
  };

  it('repeats a call that no server received', async () => {
    const away = await unreached();
    expect(await retryWhileUnreached(away, failing(away, 1).ask)).toBe(2);
    const service = failing(away, 10);
    await expect(retryWhileUnreached(away, service.ask)).rejects.toBe(away);
    expect(service.count()).toBe(3);
  });

  it.each(['service_unavailable', 'invalid_field'] as const)(
    'does not repeat a call that a server received: %s',
    async (code) => {
      const refusal = new GatewayError(code);
      const service = failing(refusal, 0);
      await expect(retryWhileUnreached(refusal, service.ask)).rejects.toBe(refusal);
      expect(service.count()).toBe(0);
    },
  );
});
