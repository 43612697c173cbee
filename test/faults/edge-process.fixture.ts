import { spawn } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { findFreePort, type StackUnderTest } from '@gateway/testing';
import { eventually } from '../integration/stack.fixture.ts';

/** An additional edge process with environment variables that the test sets. */
export interface EdgeProcess {
  readonly baseUrl: string;
  readonly pid: number;
  /** Whether the edge is ready and connected to NATS. */
  readonly isReady: () => Promise<boolean>;
  readonly output: () => string;
  stop(): Promise<void>;
}

/**
 * Starts an additional edge with the permissions of the stack's own edges. Resolves when the additional edge
 * is ready.
 */
export async function startEdge(
  stack: StackUnderTest,
  variables: Record<string, string>,
): Promise<EdgeProcess> {
  const [port, healthPort] = [await findFreePort(), await findFreePort()];
  const spool = mkdtempSync(join(tmpdir(), 'edge-spool-'));
  const { url, user, password } = stack.natsCredentials('edge-gateway');
  const redis = stack.redisUrls('edge-gateway');
  const main = join(import.meta.dirname, '../../dist/apps/edge-gateway/main.js');
  const child = spawn(process.execPath, [main], {
    env: {
      PATH: process.env['PATH'],
      ...{ PORT: String(port), HEALTH_PORT: String(healthPort), SPOOL_DIR: spool },
      ...{ NATS_URL: url, NATS_USER: user, NATS_PASSWORD: password },
      ...{ REDIS_URL: redis.queue, REDIS_CACHE_URL: redis.cache },
      ...{ EGRESS_ALLOW: '127.0.0.0/8', INSTANCE_ID: 'edge-of-a-test' },
      SANDBOX_URL: `${stack.dev.services['sandbox-provider']?.url}/v1`,
      ...variables,
    },
  });
  let output = '';
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (text) => (output += String(text)));
  const ended = new Promise<void>((resolve) => child.once('close', () => resolve()));
  const isReady = async () => {
    const answer = await fetch(`http://127.0.0.1:${healthPort}/health/ready`).catch(() => null);
    if (answer?.ok !== true) return false;
    // An edge stays ready while NATS is unavailable, so the connection has to be read separately.
    const { dependencies } = (await answer.json()) as { dependencies: Readonly<Record<string, boolean>> };
    return dependencies['messaging'] === true;
  };
  await eventually(async () => {
    if (child.exitCode !== null) throw new Error(`the edge has ended:\n${output}`);
    return (await isReady()) ? true : undefined;
  }, 60_000);
  const stop = async (): Promise<void> => {
    child.kill('SIGKILL');
    await ended;
    rmSync(spool, { recursive: true, force: true });
  };
  return { baseUrl: `http://127.0.0.1:${port}`, pid: child.pid ?? 0, isReady, output: () => output, stop };
}
