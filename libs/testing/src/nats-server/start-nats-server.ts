import { spawn } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { connect } from 'node:net';
import { setTimeout as waitMs } from 'node:timers/promises';
import { chooseFreePort } from '../../../../tools/bootstrap/stack/ports.ts';

export interface NatsServer {
  readonly port: number;
  readonly url: string;
  /** Kills the NATS server with SIGKILL, so that its connections end as they would after a crash. */
  stop(): Promise<void>;
  /** Restarts the NATS server on its previous port. */
  start(): Promise<void>;
  /** Stops the NATS server and removes its files. */
  close(): Promise<void>;
}

const startDeadlineMs = 30_000;

/** Reserves a free port. The port is not given to another test or stack while this process is running. */
export const findFreePort = (): Promise<number> => chooseFreePort();

async function isListening(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1');
    socket.once('connect', () => resolve(true));
    socket.once('error', () => resolve(false));
    socket.once('close', () => socket.destroy());
    socket.once('connect', () => socket.destroy());
  });
}

/**
 * Starts a real nats-server on a free loopback port for a spec's tests. `configuration` is in nats-server's
 * configuration syntax (users, permissions). If no configuration is given, every client has all permissions.
 */
export async function startNatsServer(configuration = ''): Promise<NatsServer> {
  const folder = await mkdtemp(join(tmpdir(), 'nats-'));
  const file = join(folder, 'nats.conf');
  const port = await findFreePort();
  await writeFile(file, `max_payload: 8MB\n${configuration}\n`);
  let running: ReturnType<typeof spawn> | undefined;

  const start = async (): Promise<void> => {
    running = spawn('nats-server', ['-c', file, '-a', '127.0.0.1', '-p', String(port)], { stdio: 'ignore' });
    const endsAt = performance.now() + startDeadlineMs;
    while (!(await isListening(port))) {
      if (performance.now() > endsAt) throw new Error('nats-server did not start');
      await waitMs(20);
    }
  };
  const stop = async (): Promise<void> => {
    const stopping = running;
    running = undefined;
    if (stopping === undefined) return;
    const ended = new Promise((resolve) => stopping.once('exit', resolve));
    stopping.kill('SIGKILL');
    await ended;
  };
  await start();
  return {
    port,
    url: `nats://127.0.0.1:${port}`,
    start,
    stop,
    async close() {
      await stop();
      await rm(folder, { recursive: true, force: true });
    },
  };
}
