import { keyGrant } from '@gateway/contracts';
import { createApiKey } from '@gateway/interchange';
import type { Messaging } from '@gateway/messaging';
import { GrantCache } from '../grants/grant-cache.ts';
import { authenticateHeaders } from './authenticate-headers.ts';

const id = (digit: number) => `00000000-0000-7000-8000-00000000000${digit}`;
const grant = keyGrant.parse({
  ...{ accountId: id(1), keyId: id(2), epoch: 1, rateLimitRpm: 600, expiresAt: null },
  ...{ kTargetOverride: null, allowedTools: null, deniedTools: null },
  pruning: { mode: 'on', recallTarget: 0.95 },
  compression: { mode: 'lossless', applyWithoutTools: false },
  caching: { markers: true },
});

/** Counts calls to other processes. In the gateway, all calls to other processes use the method `call`. */
function countingGrants() {
  const counted = { calls: 0 };
  const call = () => {
    counted.calls += 1;
    return Promise.resolve({ grant });
  };
  const grants = new GrantCache({
    connected: true,
    onBroadcast: () => undefined,
    onReconnect: () => undefined,
    call: call as unknown as Messaging['call'],
  });
  return { grants, counted };
}

const { key } = createApiKey();
const check = (text: string, grants: GrantCache) =>
  authenticateHeaders({ authorization: `Bearer ${text}` }, grants);

it('looks an API key up only once while its grant is fresh', async () => {
  const { grants, counted } = countingGrants();
  for (let times = 0; times < 100; times++) await check(key, grants);
  expect(counted.calls).toBe(1);
});

it('rejects every mistyped API key without a lookup', async () => {
  const { grants, counted } = countingGrants();
  for (let at = 0; at < key.length; at++) {
    const mistyped = key.slice(0, at) + (key[at] === 'x' ? 'y' : 'x') + key.slice(at + 1);
    await expect(check(mistyped, grants)).rejects.toMatchObject({ code: 'invalid_api_key' });
  }
  expect(counted.calls).toBe(0);
});

it.each([
  'x',
  'sk-svc-',
  `${key} ${key}`,
  `${key}0`,
  key.slice(1),
  key.toUpperCase(),
  `${key}%00`,
  `' OR 1=1 --`,
  'sk-proj-'.padEnd(164, 'a'),
  'a'.repeat(16_000),
  `Bearer ${key}`,
])('rejects a malformed API key without a lookup: %.40s', async (text) => {
  const { grants, counted } = countingGrants();
  await expect(check(text, grants)).rejects.toMatchObject({ code: 'invalid_api_key' });
  expect(counted.calls).toBe(0);
});
