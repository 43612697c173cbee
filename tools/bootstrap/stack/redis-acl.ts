import { createHash } from 'node:crypto';
import { deadRequestEvent, ledgerEntryBatch, requestEventBatch, type ServiceName } from '@gateway/contracts';

/**
 * The two Redis servers. `queue` stores job queues and token budgets, never evicts data, and persists its
 * data. `cache` stores data that can be lost or computed again, and evicts data when its memory is full.
 */
export type RedisServer = 'queue' | 'cache';

/** The Redis permissions of one user. Redis rejects every command and key that is not listed. */
export interface RedisRights {
  /** Patterns of the Redis keys that the user may read and write. */
  readonly keys: readonly string[];
  /**
   * Commands that the user may run, in addition to the commands that every connection needs. The commands
   * that scripts execute must also be listed.
   */
  readonly commands: readonly string[];
}

/** The Redis commands that BullMQ's scripts and connections use. */
const bullmqCommands = [
  ...['eval', 'evalsha', 'multi', 'exec', 'time', 'type', 'exists', 'del', 'unlink', 'rename', 'persist'],
  ...['pttl', 'pexpire', 'pexpireat', 'get', 'set', 'incr', 'incrby'],
  ...['hget', 'hmget', 'hgetall', 'hset', 'hmset', 'hdel', 'hexists', 'hincrby', 'hlen'],
  ...['llen', 'lrange', 'lindex', 'lpos', 'lpush', 'rpush', 'lpop', 'rpop', 'rpoplpush', 'lrem', 'lset'],
  ...['ltrim', 'sadd', 'srem', 'scard', 'smembers', 'sismember'],
  ...['zadd', 'zrem', 'zscore', 'zcard', 'zcount', 'zlexcount', 'zrange', 'zrevrange', 'zrangebyscore'],
  ...['zrevrangebyscore', 'zrangebylex', 'zpopmin', 'bzpopmin', 'zremrangebyscore', 'zremrangebyrank'],
  ...['xadd', 'xtrim', 'xlen', 'xrange', 'xread', 'xdel'],
];

/** The commands of BullMQ that add a job. */
const bullmqAddCommands = [
  ...['eval', 'evalsha', 'time', 'exists', 'del', 'persist', 'pttl', 'get', 'set', 'incr'],
  ...[
    'hget',
    'hmget',
    'hset',
    'hmset',
    'hexists',
    'llen',
    'lrange',
    'lpush',
    'rpush',
    'lrem',
    'sadd',
    'scard',
  ],
  ...['zadd', 'zrem', 'zscore', 'zrange', 'zrevrangebyscore', 'xadd', 'xtrim'],
];

/**
 * The commands that find and delete a deleted account's Redis keys. SCAN reveals the names of all keys.
 */
const deletionCommands = ['scan', 'del', 'unlink'];

/**
 * The Redis commands that `AccountCache` uses. `AccountCache` stores an entry if the account's share of the
 * cache allows it.
 */
const shareCommands = ['eval', 'evalsha', 'get', 'set', 'strlen', 'incrby', 'expire'];
/** Returns the pattern of the Redis keys that store each account's current use of one resource. */
const sharesOf = (purpose: string) => `share:v1:*:${purpose}:*`;

const jobsOf = (queue: string) => `bull:${queue}:*`;

/**
 * The permissions of each service on each Redis server. A service without an entry for a Redis server has no
 * user on the server. A new Redis key or command in a service needs an entry in `redisRights`. Without an
 * entry, Redis rejects the command with `NOPERM`.
 */
export const redisRights: Readonly<Record<RedisServer, Partial<Record<ServiceName, RedisRights>>>> = {
  queue: {
    'edge-gateway': {
      keys: [jobsOf(requestEventBatch.queue), 'budget:*', 'edge:deployment-id'],
      commands: [...new Set([...bullmqAddCommands, ...deletionCommands, 'hgetall', 'hdel', 'expire'])],
    },
    worker: {
      keys: [requestEventBatch, deadRequestEvent, ledgerEntryBatch].map(({ queue }) => jobsOf(queue)),
      commands: bullmqCommands,
    },
    billing: { keys: [jobsOf(ledgerEntryBatch.queue)], commands: bullmqCommands },
  },
  cache: {
    'edge-gateway': {
      // The edge reads epochs but never writes epochs.
      // A Redis script needs read and write permission on each key that it declares.
      keys: [
        ...['rpm:*', 'epoch:*'],
        ...[
          'session:*',
          'bound-plan:*',
          'first-requests:*',
          'context:*',
          'reasoning:*',
          'model-pin:*',
          'observed:*',
        ],
        // The edge also deletes the counters of deleted accounts for all shared resources.
        'share:*',
      ],
      commands: [
        ...['eval', 'evalsha', 'multi', 'exec', 'time', ...deletionCommands],
        ...['get', 'mget', 'set', 'incr', 'expire', 'strlen', 'incrby'],
        ...['hget', 'hmget', 'hgetall', 'hset', 'hdel', 'hincrby', 'hexists', 'hlen'],
      ],
    },
    account: { keys: ['epoch:*'], commands: ['eval', 'evalsha', 'get', 'set'] },
    'tool-router': {
      keys: ['tool-vector:*', sharesOf('vectors')],
      commands: ['mget', ...shareCommands],
    },
    compressor: {
      keys: ['original:*', 'tokens:*', sharesOf('originals')],
      commands: ['mget', ...shareCommands, ...deletionCommands],
    },
  },
};

/** The services that have a Redis user. Each service has one password for both Redis servers. */
export const redisUsers: readonly string[] = [
  ...new Set([...Object.keys(redisRights.queue), ...Object.keys(redisRights.cache)]),
];

/**
 * The name of the Redis administrator. Health checks, `npm run dead-letters` and tests connect as the Redis
 * administrator. Redis uses the name `default` for connections without a user name, so an address with only a
 * password stays valid.
 */
const administrator = 'default';

/**
 * Redis puts subcommands of CLIENT that affect other connections into `@dangerous`. Redis also puts INFO into
 * `@dangerous`, but INFO only reads.
 */
const connectionCommands = '-@all +client -@dangerous +ping +info';

function hashPassword(password: string): string {
  return `#${createHash('sha256').update(password).digest('hex')}`;
}

function renderUser(user: string, password: string, rights: RedisRights): string {
  const keys = rights.keys.map((pattern) => `~${pattern}`);
  const commands = rights.commands.map((command) => `+${command}`);
  const words = [`user ${user} on ${hashPassword(password)}`, 'resetkeys', 'resetchannels', ...keys];
  return [...words, connectionCommands, ...commands].join(' ');
}

/**
 * Renders the ACL file of one Redis server (Redis 7 or later), with an administrator and one user per
 * service. The ACL file contains password hashes, not passwords. Throws if a service's password is missing.
 * @param passwords the password of each service for both Redis servers
 */
export function renderRedisAcl(options: {
  readonly server: RedisServer;
  readonly adminPassword: string;
  readonly passwords: Readonly<Record<string, string>>;
}): string {
  const users = Object.entries(redisRights[options.server]).map(([user, rights]) => {
    const password = options.passwords[user];
    if (!password) throw new Error(`The Redis user ${user} has no password.`);
    return renderUser(user, password, rights);
  });
  const admin = `user ${administrator} on ${hashPassword(options.adminPassword)} ~* &* +@all`;
  return `${[admin, ...users].join('\n')}\n`;
}
