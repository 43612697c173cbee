import { connect } from 'node:net';
import { join } from 'node:path';
import { writePrivateFile } from './data-dir.ts';
import type { DataDir } from './data-dir.ts';
import type { ProcessPlan } from './managed-process.ts';
import { requireProgram } from './programs.ts';

/**
 * Jobs must survive restarts and must never be evicted: an append-only file, synced every second, and
 * `noeviction`.
 */
function renderRedisConfig(options: { port: number; password: string; dir: string }): string {
  return `bind 127.0.0.1
port ${options.port}
protected-mode yes
requirepass ${options.password}
dir ${JSON.stringify(options.dir)}
appendonly yes
appendfsync everysec
save ""
maxmemory-policy noeviction
daemonize no
`;
}

export function planRedis(dataDir: DataDir, options: { port: number; password: string }): ProcessPlan {
  const dir = dataDir.home('redis');
  const config = join(dir, 'redis.conf');
  writePrivateFile(config, renderRedisConfig({ ...options, dir }));
  return {
    name: 'redis',
    command: requireProgram('redis-server'),
    args: [config],
    cwd: dir,
    env: { PATH: '/usr/bin:/bin' },
    logFile: dataDir.logFile('redis'),
    stopSignal: 'SIGTERM',
    stopGraceMs: 10_000,
  };
}

/** Whether Redis on that port accepts the password and has loaded its data. */
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
