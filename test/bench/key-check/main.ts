// `npm run bench:key-check` measures the CPU time of an API key check while the grant cache is full.
// Mistyped and malformed API keys must not cause a lookup. The last line of the output is JSON.
import { randomUUID } from 'node:crypto';
import type { IncomingHttpHeaders } from 'node:http';
import { keyGrant, type KeyGrant } from '@gateway/contracts';
import { createApiKey } from '@gateway/interchange';
import type { Messaging } from '@gateway/messaging';
import { GrantCache } from '../../../apps/edge-gateway/src/grants/grant-cache.ts';
import { authenticateHeaders } from '../../../apps/edge-gateway/src/request/authenticate-headers.ts';

const rounds = Number(process.env['BENCH_ROUNDS'] ?? 20);
const checksPerRound = 50_000;
const keysInCache = 50_000;
/** The maximum time in microseconds for checking an API key with a cached grant. */
const cachedMicrosMax = 20;

let lookups = 0;
const grants = new GrantCache({
  connected: true,
  onBroadcast: () => undefined,
  onReconnect: () => undefined,
  // Replaces the account service. A check of a measured API key does not call the account service.
  call: (() => {
    lookups += 1;
    return Promise.resolve({ grant: createGrant() });
  }) as unknown as Messaging['call'],
});

function createGrant(): KeyGrant {
  return keyGrant.parse({
    ...{ accountId: randomUUID(), keyId: randomUUID(), epoch: 1, rateLimitRpm: 600 },
    ...{ expiresAt: '2099-01-01T00:00:00Z', kTargetOverride: null, allowedTools: null, deniedTools: null },
    pruning: { mode: 'on', recallTarget: 0.95 },
    compression: { mode: 'lossless', applyWithoutTools: false },
    caching: { markers: true },
  });
}

const bearer = (key: string): IncomingHttpHeaders => ({ authorization: `Bearer ${key}` });
/** Changes a character in the middle of the API key. The API key's checksum is now wrong. */
const mistype = (key: string) => key.slice(0, 20) + (key[20] === 'a' ? 'b' : 'a') + key.slice(21);

interface Cost {
  /** CPU time in microseconds per API key check, as the median and maximum over the measured rounds. */
  readonly medianMicros: number;
  readonly worstMicros: number;
}

async function measure(headers: readonly IncomingHttpHeaders[], succeeds: boolean): Promise<Cost> {
  const micros: number[] = [];
  // Rounds with negative numbers warm up the JIT compiler and are not measured.
  for (let round = -3; round < rounds; round++) {
    const before = process.cpuUsage();
    for (let at = 0; at < checksPerRound; at++) {
      const checked = authenticateHeaders(headers[at % headers.length]!, grants).then(
        () => true,
        () => false,
      );
      if ((await checked) !== succeeds) throw new Error('a key check had an unexpected result');
    }
    const { user, system } = process.cpuUsage(before);
    if (round >= 0) micros.push((user + system) / checksPerRound);
  }
  micros.sort((a, b) => a - b);
  return { medianMicros: micros[micros.length >> 1]!, worstMicros: micros.at(-1)! };
}

/**
 * Looks up each API key once, which fills the cache. A cached grant stays valid for ten seconds, which is
 * longer than one measured round.
 */
async function fillCache(headers: readonly IncomingHttpHeaders[]): Promise<void> {
  for (const each of headers) await authenticateHeaders(each, grants);
}

const keys = Array.from({ length: keysInCache }, () => createApiKey().key);
await fillCache(keys.map(bearer));
// The measured rounds use only the last 1,000 API keys.
// The grants of all other API keys may expire before the measurement, so checks of these keys would add lookups.
const used = keys.slice(-1_000).map(bearer);
await fillCache(used);
const lookupsOfFilling = lookups;
const mistyped = await measure(keys.slice(0, 1_000).map(mistype).map(bearer), false);
const malformed = await measure(
  ['', 'x', 'sk-svc-', `sk-svc-${'0'.repeat(49)}`, 'sk-proj-'.padEnd(164, 'a'), 'a'.repeat(8_000)].map(
    bearer,
  ),
  false,
);
const lookupsOfRefusals = lookups - lookupsOfFilling;
const cached = await measure(used, true);

console.log('microseconds of CPU      median     worst');
for (const [name, cost] of Object.entries({ cached, mistyped, malformed })) {
  const columns = [cost.medianMicros, cost.worstMicros].map((micros) => micros.toFixed(2).padStart(10));
  console.log(name.padEnd(21) + columns.join(''));
}
const holds = cached.worstMicros < cachedMicrosMax && lookupsOfRefusals === 0;
console.log(JSON.stringify({ cached, mistyped, malformed, lookupsOfRefusals, keysInCache, holds }));
process.exitCode = holds ? 0 : 1;
