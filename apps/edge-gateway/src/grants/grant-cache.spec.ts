import { accountChanged, keyChanged, keyGrant, type KeyGrant } from '@gateway/contracts';
import { GatewayError } from '@gateway/errors';
import type { Messaging } from '@gateway/messaging';
import { GrantCache } from './grant-cache.ts';

const id = (digit: number) => `00000000-0000-7000-8000-00000000000${digit}`;
const createGrant = (epoch: number, over: Partial<KeyGrant> = {}) =>
  keyGrant.parse({
    ...{ accountId: id(1), keyId: id(2), epoch, rateLimitRpm: 600, expiresAt: null },
    ...{ kTargetOverride: null, allowedTools: null, deniedTools: null },
    pruning: { mode: 'on', recallTarget: 0.95 },
    compression: { mode: 'lossless', applyWithoutTools: false },
    caching: { markers: true },
    ...over,
  });

type Listener = (message: object) => void;

/** A grant cache for tests that control the account service and the broadcasts. */
function cacheOf(answer: (keySha256: string) => KeyGrant | null | Error) {
  const listeners = new Map<string, Listener>();
  const state: { calls: number; reconnect: () => void } = { calls: 0, reconnect: () => undefined };
  const cache = new GrantCache({
    connected: true,
    onBroadcast: ({ subject }, fn) => void listeners.set(subject, fn as Listener),
    onReconnect: (fn) => (state.reconnect = fn),
    call: ((_: unknown, { keySha256 }: { keySha256: string }) => {
      state.calls += 1;
      const grant = answer(keySha256);
      return grant instanceof Error ? Promise.reject(grant) : Promise.resolve({ grant });
    }) as unknown as Messaging['call'],
  });
  const tell = (contract: { subject: string }, message: object) => listeners.get(contract.subject)?.(message);
  return { cache, state, tell };
}

const get = async (cache: GrantCache, key = 'a') => (await cache.get(key))!;

describe('a broadcast change', () => {
  it('of a key invalidates the grants for all secrets of this key, and for no other key', async () => {
    const { cache, tell } = cacheOf((key) => createGrant(1, { keyId: key === 'other' ? id(3) : id(2) }));
    for (const key of ['a', 'b', 'other']) await cache.get(key);
    tell(keyChanged, { accountId: id(1), keyId: id(2), epoch: 2, revoked: true });
    expect(['a', 'b', 'other'].map((key) => cache.peek(key) === undefined)).toEqual([true, true, false]);
  });

  it('of an account invalidates the grants for all keys of this account, and for no other account', async () => {
    const { cache, tell } = cacheOf((key) => createGrant(1, { accountId: key === 'other' ? id(3) : id(1) }));
    for (const key of ['a', 'b', 'other']) await cache.get(key);
    tell(accountChanged, { accountId: id(1), epoch: 2, deleted: false });
    expect(['a', 'b', 'other'].map((key) => cache.peek(key) === undefined)).toEqual([true, true, false]);
  });
});

describe('a change that is detected by its epoch', () => {
  it('causes no lookup if the cached grant already includes the change', async () => {
    const { cache, state } = cacheOf(() => createGrant(5));
    const grant = await get(cache);
    for (const epoch of [0, 4, 5]) expect(await cache.renew(grant, epoch)).toBe(grant);
    expect(state.calls).toBe(1);
  });

  it('reloads the grant, once for concurrent callers', async () => {
    let epoch = 5;
    const { cache, state } = cacheOf(() => createGrant(epoch));
    const grant = await get(cache);
    epoch = 6;
    const renewed = await Promise.all([1, 2, 3].map(() => cache.renew(grant, 6)));
    expect(renewed.map((each) => each.epoch)).toEqual([6, 6, 6]);
    expect(state.calls).toBe(2);
  });

  it('causes one lookup, not one per request, if the reloaded grant does not include the change', async () => {
    const { cache, state } = cacheOf(() => createGrant(5));
    const renewed = await cache.renew(await get(cache), 9);
    expect(await cache.renew(renewed, 9)).toBe(renewed);
    expect(await cache.renew(await get(cache), 9)).toBe(renewed);
    expect(state.calls).toBe(2);
  });

  it('rejects the key without a lookup if the key is permanently revoked', async () => {
    const { cache, state } = cacheOf(() => createGrant(5));
    const grant = await get(cache);
    await expect(cache.renew(grant, -1)).rejects.toMatchObject({ code: 'invalid_api_key' });
    expect(cache.peek('a')).toBeUndefined();
    expect(state.calls).toBe(1);
  });

  it('rejects the key if the grant of the key no longer exists', async () => {
    let answer: KeyGrant | null = createGrant(5);
    const { cache } = cacheOf(() => answer);
    const grant = await get(cache);
    answer = null;
    await expect(cache.renew(grant, 6)).rejects.toMatchObject({ code: 'invalid_api_key' });
  });

  it('uses no outdated grant while the account service is unavailable', async () => {
    let answer: KeyGrant | Error = createGrant(5);
    const { cache, state } = cacheOf(() => answer);
    const grant = await get(cache);
    answer = new GatewayError('service_unavailable');
    await expect(cache.renew(grant, 6)).rejects.toMatchObject({ code: 'service_unavailable' });
    state.reconnect();
    await expect(cache.renew(grant, 6)).rejects.toMatchObject({ code: 'service_unavailable' });
    answer = createGrant(6);
    expect((await cache.renew(grant, 6)).epoch).toBe(6);
  });
});
