import { spawn, spawnSync, type ChildProcess } from 'node:child_process';
import { join } from 'node:path';
import { findFreePort } from '@gateway/testing';
import { eventually } from '../stack.fixture.ts';

const root = join(import.meta.dirname, '../../..');

export interface ServiceProcess {
  readonly healthUrl: string;
  readonly output: () => string;
  stop(signal?: NodeJS.Signals): Promise<number | null>;
}

/** Bundles the given apps for deployment. */
export function buildApps(...apps: string[]): void {
  const { status, stderr } = spawnSync(process.execPath, ['tools/build/build.mjs', ...apps], {
    cwd: root,
    encoding: 'utf8',
  });
  if (status !== 0) throw new Error(stderr);
}

/** Starts a bundled app as a separate process. Resolves when the app is ready. */
export async function startService(
  app: string,
  natsUrl: string,
  variables: Record<string, string> = {},
): Promise<ServiceProcess> {
  const port = await findFreePort();
  const child = spawn(process.execPath, [join(root, 'dist/apps', app, 'main.js')], {
    env: {
      PATH: process.env['PATH'],
      NATS_URL: natsUrl,
      NATS_USER: app,
      NATS_PASSWORD: 'x',
      HEALTH_PORT: String(port),
      ...variables,
    },
  });
  let output = '';
  child.stdout.on('data', (data: Buffer) => (output += data.toString()));
  child.stderr.on('data', (data: Buffer) => (output += data.toString()));
  const healthUrl = `http://127.0.0.1:${port}`;
  const service = {
    healthUrl,
    output: () => output,
    stop: (signal: NodeJS.Signals = 'SIGTERM') => stop(child, signal),
  };
  await eventually(async () => {
    if (child.exitCode !== null) throw new Error(`${app} ended:\n${output}`);
    const ready = await fetch(`${healthUrl}/health/ready`).catch(() => undefined);
    return ready?.ok === true ? true : undefined;
  }, 60_000).catch(async (error: unknown) => {
    await service.stop('SIGKILL');
    throw error;
  });
  return service;
}

async function stop(child: ChildProcess, signal: NodeJS.Signals): Promise<number | null> {
  if (child.exitCode !== null || child.signalCode !== null) return child.exitCode;
  const ended = new Promise<number | null>((resolve) => child.once('exit', resolve));
  child.kill(signal);
  return ended;
}
