import { GatewayError } from '@gateway/errors';
import { RemoteCache, retryWhileUnavailable } from './remote-cache.ts';

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

  it('reloads responses after a broken connection, and uses an old response only as long as during an outage', async () => {
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
});

const away = new GatewayError('service_unavailable');

function failing(times: number) {
  let asked = 0;
  const ask = (): Promise<number> => {
    asked += 1;
    return asked <= times ? Promise.reject(away) : Promise.resolve(asked);
  };
  return { ask, count: () => asked };
}

describe('retryWhileUnavailable', () => {
  it('returns the response once the service is available again', async () => {
    expect(await retryWhileUnavailable(away, failing(1).ask)).toBe(2);
  });

  it('throws the error if the service stays unavailable', async () => {
    const service = failing(10);
    await expect(retryWhileUnavailable(away, service.ask)).rejects.toBe(away);
    expect(service.count()).toBe(3);
  });

  it('does not retry if the service rejects the request', async () => {
    const service = failing(0);
    const refusal = new GatewayError('invalid_field');
    await expect(retryWhileUnavailable(refusal, service.ask)).rejects.toBe(refusal);
    expect(service.count()).toBe(0);
  });
});
