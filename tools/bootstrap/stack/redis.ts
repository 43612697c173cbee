import { connect } from 'node:net';
import { join } from 'node:path';
import { writePrivateFile } from './data-dir.ts';
import type { DataDir } from './data-dir.ts';
import type { ProcessPlan } from './managed-process.ts';
import { requireProgram } from './programs.ts';
import { renderRedisAcl, type RedisServer } from './redis-acl.ts';

/** Redis settings that depend on the server's purpose. */
const settings: Readonly<Record<RedisServer, string>> = {
  // Jobs must survive Redis restarts and must never be evicted.
  queue: `appendonly yes
appendfsync everysec
maxmemory-policy noeviction`,
  // The memory limit suits development and tests. Larger installations need a higher limit.
  cache: `appendonly no
maxmemory 256mb
maxmemory-policy allkeys-lru`,
};

/** The name, data folder and log file of each Redis server. */
export const redisUnits: Readonly<Record<RedisServer, string>> = { queue: 'redis', cache: 'redis-cache' };

export interface RedisOptions {
  readonly server: RedisServer;
  readonly port: number;
  readonly adminPassword: string;
  /** Passwords by service name. */
  readonly passwords: Readonly<Record<string, string>>;
}

function renderRedisConfig({ server, port, dir }: Pick<RedisOptions, 'server' | 'port'> & { dir: string }) {
  return `bind 127.0.0.1
port ${port}
protected-mode yes
aclfile ${JSON.stringify(join(dir, 'users.acl'))}
dir ${JSON.stringify(dir)}
save ""
${settings[server]}
daemonize no
`;
}

export function planRedis(dataDir: DataDir, options: RedisOptions): ProcessPlan {
  const name = redisUnits[options.server];
  const dir = dataDir.home(name);
  const config = join(dir, 'redis.conf');
  writePrivateFile(config, renderRedisConfig({ ...options, dir }));
  writePrivateFile(join(dir, 'users.acl'), renderRedisAcl(options));
  return {
    name,
    command: requireProgram('redis-server'),
    args: [config],
    cwd: dir,
    env: { PATH: '/usr/bin:/bin' },
    logFile: dataDir.logFile(name),
    stopSignal: 'SIGTERM',
    stopGraceMs: 10_000,
  };
}

/** Returns true if Redis on the given port accepts the administrator's password and has loaded its data. */
export function redisAnswers(port: number, password: string): Promise<boolean> {
  return new Promise((settle) => {
    const socket = connect({ port, host: '127.0.0.1', timeout: 1_000 });
    let answer = '';
    socket.on('connect', () => socket.write(`AUTH ${password}\r\nPING\r\n`));
    socket.on('data', (chunk) => {
      answer += chunk.toString();
      if (answer.split('\r\n').length > 2) socket.destroy();
    });
    socket.on('timeout', () => socket.destroy());
    socket.on('error', () => undefined);
    socket.on('close', () => settle(answer.startsWith('+OK\r\n+PONG')));
  });
}
