import { accountChanged, authenticateKey, keyChanged, type KeyGrant } from '@gateway/contracts';
import type { Messaging } from '@gateway/messaging';
import { RemoteCache } from '../cache/remote-cache.ts';

/** What each API key may do, by the SHA-256 of the key. `null` is kept too: an unknown key is asked for once. */
export type GrantCache = RemoteCache<KeyGrant | null>;

/**
 * Kept for 10 s, which bounds how long a revoked key lives with the bus cut (decisions.md); with the bus up, a
 * broadcast ends it at once, so that an answer may stand in for five minutes while the account service restarts.
 */
export function createGrantCache(messaging: Messaging): GrantCache {
  const cache: GrantCache = new RemoteCache<KeyGrant | null>({
    entriesMax: 50_000,
    freshMs: 10_000,
    staleMs: 300_000,
    load: async (keySha256) => (await messaging.call(authenticateKey, { keySha256 })).grant,
    broadcastsArrive: () => messaging.connected,
  });
  messaging.onBroadcast(keyChanged, ({ keyId }) =>
    cache.invalidate((grant) => grant === null || grant.keyId === keyId),
  );
  messaging.onBroadcast(accountChanged, ({ accountId }) =>
    cache.invalidate((grant) => grant?.accountId === accountId),
  );
  messaging.onReconnect(() => cache.doubtAll());
  return cache;
}
