import { createApiKey } from '@gateway/interchange';
import { openRedisMonitor, sharedStack } from '@gateway/testing';
import { Redis } from 'ioredis';
import { createTestAccount } from './account.fixture.ts';
import { expectError } from './errors.fixture.ts';
import { send } from './http.fixture.ts';

const stack = sharedStack();
const { baseUrl } = stack;
const body = { model: 'sandbox/sandbox-1', messages: [{ role: 'user', content: 'hello' }] };

/**
 * Matches the Redis commands that a gateway sends to handle a request. The commands use the Redis keys that
 * store rate limit counts and epochs.
 */
const ofRequests = /"(rpm|epoch):/;

/** Runs `act`, and returns the number of calls that gateways made to Redis and to the account service during `act`. */
async function countAsked(act: () => Promise<unknown>): Promise<{ redis: number; lookups: number }> {
  const redis = new Redis(stack.dev.redis_cache_url);
  const asked: string[] = [];
  const marker = `end ${crypto.randomUUID()}`;
  const seen = Promise.withResolvers<undefined>();
  const stopWatching = await openRedisMonitor(stack.dev.redis_cache_url, (lines) => {
    asked.push(...lines);
    if (lines.some((line) => line.includes(marker))) seen.resolve(undefined);
  });
  const before = await readLookups();
  await act();
  // Redis reports commands in order, so every report before the marker is from an earlier command.
  await redis.echo(marker);
  await seen.promise;
  stopWatching();
  redis.disconnect();
  return {
    redis: asked.filter((line) => ofRequests.test(line)).length,
    lookups: (await readLookups()) - before,
  };
}

async function readLookups(): Promise<number> {
  const metrics = await (await fetch(stack.dev.services['account']!.metrics_url!)).text();
  const counts = [...metrics.matchAll(/^account_key_lookups_total\{[^}]*\} (\d+)$/gm)];
  return counts.reduce((sum, [, count]) => sum + Number(count), 0);
}

const routes = [
  { path: '/v1/chat/completions', body },
  { path: '/v1/messages', body: { ...body, max_tokens: 10 } },
  { path: '/v1/models' },
  { path: '/v1/account/keys' },
];
const callAll = async (keys: readonly string[]) => {
  for (const key of keys)
    for (const route of routes) {
      const answer = await send(baseUrl, { ...route, key });
      expect(answer.status).toBe(401);
    }
};

it('an unknown key causes one lookup, which proves that the test can observe lookups', async () => {
  const { apiKey } = await createTestAccount(stack);
  const ask = () => send(baseUrl, { path: '/v1/chat/completions', key: apiKey, body });
  const asked = await countAsked(ask);
  expect(asked.redis).toBeGreaterThan(0);
  expect(asked.lookups).toBe(1);
  const { key } = createApiKey();
  expect(await countAsked(() => callAll([key]))).toMatchObject({ redis: 0, lookups: 1 });
});

it('a mistyped or malformed key causes no lookup and no Redis command', async () => {
  const { apiKey } = await createTestAccount(stack);
  const mistyped = [10, 30, 50, 55].map(
    (at) => apiKey.slice(0, at) + (apiKey[at] === 'x' ? 'y' : 'x') + apiKey.slice(at + 1),
  );
  const malformed = ['x', 'sk-svc-', `${apiKey}0`, apiKey.slice(1), "' OR 1=1 --", 'a'.repeat(8_000)];
  const asked = await countAsked(() => callAll([...mistyped, ...malformed]));
  expect(asked).toEqual({ redis: 0, lookups: 0 });
  const answer = await send(baseUrl, { path: '/v1/chat/completions', key: mistyped[0]!, body });
  expectError(answer, { status: 401, type: 'authentication_error', code: 'invalid_api_key' });
});
