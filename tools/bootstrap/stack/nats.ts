import { connect } from 'node:net';
import { join } from 'node:path';
import { contractTable } from '@gateway/contracts';
import { writePrivateFile } from './data-dir.ts';
import type { DataDir } from './data-dir.ts';
import type { ProcessPlan } from './managed-process.ts';
import { renderNatsConfig } from './nats-config.ts';
import { requireProgram } from './programs.ts';

export function planNats(
  dataDir: DataDir,
  options: { port: number; passwords: Readonly<Record<string, string>> },
): ProcessPlan {
  const dir = dataDir.home('nats');
  const config = join(dir, 'nats-server.conf');
  writePrivateFile(config, renderNatsConfig({ host: '127.0.0.1', contracts: contractTable, ...options }));
  return {
    name: 'nats',
    command: requireProgram('nats-server'),
    args: ['-c', config],
    cwd: dir,
    env: { PATH: '/usr/bin:/bin' },
    logFile: dataDir.logFile('nats'),
    stopSignal: 'SIGTERM',
    stopGraceMs: 10_000,
  };
}

/** Returns true if a NATS server responds on the given port. */
export function natsAnswers(port: number): Promise<boolean> {
  return new Promise((settle) => {
    const socket = connect({ port, host: '127.0.0.1', timeout: 1_000 });
    let greeted = false;
    socket.on('data', (chunk) => {
      greeted = chunk.toString().startsWith('INFO ');
      socket.destroy();
    });
    socket.on('timeout', () => socket.destroy());
    socket.on('error', () => undefined);
    socket.on('close', () => settle(greeted));
  });
}
