import { accountEpochName, ledgerEntryBatch, requestEventBatch } from '@gateway/contracts';
import { sharedStack } from '@gateway/testing';
import { Redis } from 'ioredis';
import { redisRights, redisUsers, type RedisServer } from '../../tools/bootstrap/stack/redis-acl.ts';

const stack = sharedStack();
const connections: Redis[] = [];
afterAll(() => connections.forEach((connection) => connection.disconnect()));

function connectAs(user: string, server: RedisServer): Redis {
  const redis = new Redis(stack.redisUrls(user)[server], {
    maxRetriesPerRequest: 0,
    retryStrategy: () => null,
  });
  redis.on('error', () => undefined);
  connections.push(redis);
  return redis;
}

/**
 * Returns true if the Redis server allows the user to run a command. The Redis server does not run the
 * command.
 */
async function isAllowed(server: RedisServer, user: string, ...command: string[]): Promise<boolean> {
  const { redis_url, redis_cache_url } = stack.dev;
  const admin = new Redis(server === 'queue' ? redis_url : redis_cache_url);
  connections.push(admin);
  return (await admin.call('ACL', 'DRYRUN', user, ...command)) === 'OK';
}

const job = (queue: string) => `bull:${queue}:wait`;
/**
 * For each kind of data, one write command and the services that may run the command. No other service may
 * run the command.
 */
const writes = [
  {
    of: 'jobs of request events',
    server: 'queue',
    command: ['LPUSH', job(requestEventBatch.queue), '1'],
    by: ['edge-gateway', 'worker'],
  },
  {
    of: 'jobs of ledger entries',
    server: 'queue',
    command: ['LPUSH', job(ledgerEntryBatch.queue), '1'],
    by: ['worker', 'billing'],
  },
  {
    of: 'saved-token budgets',
    server: 'queue',
    command: ['HSET', 'budget:{a}:k', 'spent', '0 0 0'],
    by: ['edge-gateway'],
  },
  { of: 'rate windows', server: 'cache', command: ['HSET', 'rpm:{a}:k', 'total', '0'], by: ['edge-gateway'] },
  {
    of: 'epochs',
    server: 'cache',
    command: ['SET', accountEpochName('a'), '1'],
    by: ['account', 'edge-gateway'],
  },
  { of: 'conversation memos', server: 'cache', command: ['SET', 'session:v1:a', '1'], by: ['edge-gateway'] },
  { of: 'tool vectors', server: 'cache', command: ['SET', 'tool-vector:m:h', '1'], by: ['tool-router'] },
  { of: 'originals', server: 'cache', command: ['SET', 'original:v1:a', '1'], by: ['compressor'] },
] as const;

describe.each(writes)('$of', ({ server, command, by }) => {
  test('each kind of data in Redis is written only by its services', async () => {
    const users = Object.keys(redisRights[server]);
    const allowed = await Promise.all(users.map((user) => isAllowed(server, user, ...command)));
    expect(users.filter((_, at) => allowed[at]).sort()).toEqual([...by].sort());
  });
});

test('a compromised router cannot forge jobs, epochs or rate windows', async () => {
  const router = connectAs('tool-router', 'cache');
  await expect(router.set(accountEpochName('some-account'), '-1')).rejects.toThrow(/NOPERM/);
  await expect(router.hset('rpm:{some-account}:some-key', 'total', '0')).rejects.toThrow(/NOPERM/);
  await expect(router.get('original:v1:any')).rejects.toThrow(/NOPERM/);
  // The tool router may run Redis scripts, but a script has only the rights of the Redis user.
  const forged = accountEpochName('some-account');
  const refused = /can't access at least one of the keys|NOPERM/;
  await expect(router.eval("return redis.call('GET', 'x')", 0)).rejects.toThrow(refused);
  await expect(router.eval(`return redis.call('SET', '${forged}', '-1')`, 0)).rejects.toThrow(refused);
  await expect(router.eval("return redis.call('SET', KEYS[1], '-1')", 1, forged)).rejects.toThrow(refused);
  // The tool router has no user on the Redis server of the queue.
  await expect(connectAs('tool-router', 'queue').ping()).rejects.toThrow();
});

describe.each([...redisUsers])('the Redis user %s', (user) => {
  const servers = (['queue', 'cache'] as const).filter((server) => user in redisRights[server]);

  test.each(servers)(
    'a Redis user cannot run a command that reads all keys or changes the server (%s)',
    async (server) => {
      const commands = [
        ...[['KEYS', '*'], ['FLUSHALL'], ['FLUSHDB'], ['RANDOMKEY'], ['DBSIZE'], ['MONITOR']],
        ...[
          ['CONFIG', 'GET', 'maxmemory'],
          ['CONFIG', 'SET', 'maxmemory', '1'],
          ['DEBUG', 'SLEEP', '0'],
        ],
        ...[
          ['ACL', 'LIST'],
          ['ACL', 'SETUSER', user, '+@all'],
          ['CLIENT', 'LIST'],
          ['CLIENT', 'KILL', 'ID', '1'],
        ],
        ...[
          ['SAVE'],
          ['SHUTDOWN'],
          ['REPLICAOF', '127.0.0.1', '1'],
          ['SCRIPT', 'FLUSH'],
          ['FUNCTION', 'LIST'],
        ],
        ...[
          ['PUBLISH', 'any', 'x'],
          ['SUBSCRIBE', 'any'],
          ['SLOWLOG', 'GET'],
          ['SWAPDB', '0', '1'],
        ],
        ...[
          ['GET', 'unknown:key'],
          ['DEL', 'unknown:key'],
          ['GET', 'planted'],
        ],
      ];
      const allowed = await Promise.all(commands.map((command) => isAllowed(server, user, ...command)));
      expect(commands.filter((_, at) => allowed[at])).toEqual([]);
    },
  );

  test('a Redis user needs its own password', async () => {
    const [server = 'queue'] = servers;
    const url = new URL(stack.redisUrls(user)[server]);
    const other = redisUsers.find((name) => name !== user) ?? '';
    for (const password of ['', 'guess', new URL(stack.redisUrls(other)[server]).password]) {
      const redis = new Redis(Object.assign(new URL(url), { password }).href, { retryStrategy: () => null });
      redis.on('error', () => undefined);
      connections.push(redis);
      await expect(redis.call('PING')).rejects.toThrow();
    }
  });
});

test('the queue’s Redis server never evicts keys and persists its data, and the cache’s Redis server evicts keys', async () => {
  const settingsOf = async (url: string) => {
    const redis = new Redis(url);
    connections.push(redis);
    const found = await redis.config('GET', 'maxmemory*', 'appendonly');
    return Array.isArray(found) ? Object.fromEntries(pairsOf(found.map(String))) : found;
  };
  expect(await settingsOf(stack.dev.redis_url)).toMatchObject({
    'maxmemory-policy': 'noeviction',
    appendonly: 'yes',
  });
  const cache = (await settingsOf(stack.dev.redis_cache_url)) as Record<string, string>;
  expect(cache).toMatchObject({ 'maxmemory-policy': 'allkeys-lru', appendonly: 'no' });
  expect(Number(cache['maxmemory'])).toBeGreaterThan(0);
});

function pairsOf(flat: readonly string[]): [string, string][] {
  return flat.flatMap((name, at) => (at % 2 === 0 ? [[name, flat[at + 1] ?? ''] as [string, string]] : []));
}
