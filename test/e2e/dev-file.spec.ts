import { statSync } from 'node:fs';
import { join } from 'node:path';
import { sharedStack } from '@gateway/testing';
import { redisUsers } from '../../tools/bootstrap/stack/redis-acl.ts';

const stack = sharedStack();

test('every service of a started stack is ready and serves metrics', async () => {
  const services = Object.entries(stack.dev.services).filter(([, { health_url }]) => health_url !== null);
  const firsts = services.map(([name]) => name).filter((name) => !/-\d+$/.test(name));
  expect(firsts.sort()).toEqual([
    'account',
    'billing',
    'compressor',
    'edge-gateway',
    'provider-vault',
    'sandbox-provider',
    'tool-router',
    'worker',
  ]);
  for (const [name, { health_url, metrics_url, pid }] of services) {
    expect({ name, pid: typeof pid }).toEqual({ name, pid: 'number' });
    const health = await fetch(health_url!);
    expect({ name, status: health.status }).toEqual({ name, status: 200 });
    const metrics = await (await fetch(metrics_url!)).text();
    expect(metrics).toContain('process_cpu_seconds_total');
  }
});

test('the API key and the address in dev.json work immediately', async () => {
  const response = await fetch(`${stack.baseUrl}/v1/chat/completions`, {
    method: 'POST',
    headers: { authorization: `Bearer ${stack.apiKey}`, 'content-type': 'application/json' },
    body: JSON.stringify({ model: 'sandbox/sandbox-1', messages: [{ role: 'user', content: 'Hello!' }] }),
  });
  expect(response.status).toBe(200);
  expect(response.headers.get('x-request-id')).not.toBeNull();
  expect(await response.json()).toMatchObject({ object: 'chat.completion', model: 'sandbox-1' });
});

test('the API key in dev.json may manage the key’s account', async () => {
  const read = async (path: string) => {
    const headers = { authorization: `Bearer ${stack.apiKey}` };
    const response = await fetch(`${stack.baseUrl}${path}`, { headers });
    expect({ path, status: response.status }).toEqual({ path, status: 200 });
    return response.json();
  };
  await read('/v1/account/billing');
  expect(await read('/v1/account/keys')).toMatchObject({
    data: expect.arrayContaining([
      expect.objectContaining({ name: 'demo', scopes: ['inference', 'read', 'manage'] }),
    ]),
  });
});

test('only the owner can read files that contain secrets', () => {
  for (const file of [
    'dev.json',
    'secrets.json',
    'run/state.json',
    'redis/redis.conf',
    'redis/users.acl',
    'redis-cache/redis.conf',
    'redis-cache/users.acl',
    'nats/nats-server.conf',
  ]) {
    expect({ file, mode: statSync(join(stack.dataDir, file)).mode & 0o777 }).toEqual({ file, mode: 0o600 });
  }
});

test('no log contains a secret from the stack', () => {
  const { api_key, session_token, demo_person, nats_operator, postgres } = stack.dev;
  const { redis_url, redis_cache_url } = stack.dev;
  const users = redisUsers.flatMap((user) => Object.values(stack.redisUrls(user)));
  const databases = [postgres.account, postgres.vault, postgres.billing, postgres.telemetry];
  const passwords = [redis_url, redis_cache_url, ...users, ...databases].map((url) => new URL(url).password);
  for (const name of [...Object.keys(stack.dev.services), 'supervisor']) {
    const log = stack.logs(name);
    for (const secret of [
      api_key!,
      session_token!,
      demo_person!.password,
      nats_operator.password,
      ...passwords,
    ]) {
      expect({ name, leaked: log.includes(secret) }).toEqual({ name, leaked: false });
    }
  }
});
