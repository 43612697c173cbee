import type { StackUnderTest } from '@gateway/testing';
import { Redis } from 'ioredis';
import { readFileSync } from 'node:fs';
import { setTimeout as waitMs } from 'node:timers/promises';
import pg from 'pg';
import type { CutLink } from '../faults/cut-link.fixture.ts';
import type { CausedFault, Fault } from './history.ts';
import type { Upstream } from './upstream.ts';

/** The parts of a run that the nemesis may break. */
export interface Victims {
  readonly stack: StackUnderTest;
  readonly upstream: Upstream;
  /** The network links of the second edge, by server. */
  readonly links: ReadonlyMap<string, CutLink>;
  readonly farEdgePid: number;
  /** The time in milliseconds since the start of the run. */
  readonly now: () => number;
}

/** Causes each fault at its scheduled time. Resolves when all faults have ended and all processes are ready again. */
export async function causeFaults(victims: Victims, faults: readonly Fault[]): Promise<CausedFault[]> {
  return Promise.all(
    faults.map(async (fault) => {
      await waitMs(Math.max(0, fault.atMs - victims.now()));
      const startedMs = victims.now();
      await causeFault(victims, fault);
      return { ...fault, startedMs, endedMs: victims.now() };
    }),
  );
}

function causeFault(victims: Victims, fault: Fault): Promise<void> {
  const { target, forMs } = fault;
  switch (fault.kind) {
    case 'kill':
      return killProcess(victims, target);
    case 'stop':
      return stopProcess(victims, target, forMs);
    case 'lock':
      return withoutError(lockTable(victims, target, forMs));
    case 'terminate':
      return withoutError(terminateConnections(victims, target));
    case 'flush':
      return withoutError(sendToRedis(victims, target, (redis) => redis.flushall()));
    case 'pause':
      return withoutError(pauseRedis(victims, target, forMs));
    case 'slow-upstream':
      return disturbUpstream(victims, 'slow', forMs);
    case 'broken-upstream':
      return disturbUpstream(victims, 'broken', forMs);
    case 'cut-link':
    case 'stall-link':
      return breakLink(victims, target, fault.kind === 'cut-link' ? 'cut' : 'stall', forMs);
  }
}

/** Ignores errors, because a fault can fail while another fault affects the same server. */
const withoutError = (work: Promise<unknown>): Promise<void> =>
  work.then(
    () => undefined,
    () => undefined,
  );

async function killProcess({ stack }: Victims, name: string): Promise<void> {
  const unit = stack.service(name);
  await withoutError(unit.kill('SIGKILL'));
  // After four failed starts, for example during another fault, the supervisor stops restarting a process.
  await unit.waitReady().catch(() => withoutError(unit.start()));
}

async function stopProcess({ stack, farEdgePid }: Victims, name: string, forMs: number): Promise<void> {
  const pid = name === 'far-edge' ? farEdgePid : stack.service(name).pid;
  if (pid === null) return;
  const processes = [pid, ...listChildren(pid)];
  const signal = (code: NodeJS.Signals): void => {
    for (const each of processes)
      try {
        process.kill(each, code);
      } catch {
        // The process may have exited already.
      }
  };
  signal('SIGSTOP');
  await waitMs(forMs);
  signal('SIGCONT');
}

function listChildren(pid: number): number[] {
  try {
    return readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').split(' ').filter(Boolean).map(Number);
  } catch {
    return [];
  }
}

/** Deadline in milliseconds for the nemesis's own connections. */
const connectedWithinMs = 3_000;

async function withDatabase(
  url: string | null,
  work: (client: pg.Client) => Promise<unknown>,
): Promise<void> {
  if (url === null) return;
  const client = new pg.Client({
    connectionString: url,
    connectionTimeoutMillis: connectedWithinMs,
    query_timeout: connectedWithinMs,
  });
  client.on('error', () => undefined);
  await client.connect();
  await work(client).finally(() => withoutError(client.end()));
}

const databaseOf = (admin: string | null, name: string): string | null =>
  admin === null ? null : Object.assign(new URL(admin), { pathname: `/${name}` }).href;

async function lockTable({ stack }: Victims, target: string, forMs: number): Promise<void> {
  const [database = '', table = ''] = target.split('.');
  await withDatabase(databaseOf(stack.dev.postgres.admin, database), async (client) => {
    await client.query('BEGIN');
    await client.query(`LOCK TABLE ${table} IN ACCESS EXCLUSIVE MODE`);
    await waitMs(forMs);
    await client.query('ROLLBACK');
  });
}

async function terminateConnections({ stack }: Victims, database: string): Promise<void> {
  await withDatabase(stack.dev.postgres.admin, (client) =>
    client.query('SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = $1', [database]),
  );
}

async function sendToRedis(
  { stack }: Victims,
  name: string,
  work: (redis: Redis) => Promise<unknown>,
): Promise<void> {
  const url = name === 'redis' ? stack.dev.redis_url : stack.dev.redis_cache_url;
  const redis = new Redis(url, {
    lazyConnect: true,
    connectTimeout: connectedWithinMs,
    commandTimeout: connectedWithinMs,
    maxRetriesPerRequest: 0,
    retryStrategy: () => null,
  });
  redis.on('error', () => undefined);
  try {
    await redis.connect();
    await work(redis);
  } finally {
    redis.disconnect();
  }
}

async function pauseRedis(victims: Victims, name: string, forMs: number): Promise<void> {
  await sendToRedis(victims, name, (redis) => redis.call('CLIENT', 'PAUSE', String(forMs), 'ALL'));
  await waitMs(forMs);
}

async function disturbUpstream(
  { upstream }: Victims,
  state: 'slow' | 'broken',
  forMs: number,
): Promise<void> {
  upstream.state = state;
  await waitMs(forMs);
  if (upstream.state === state) upstream.state = 'healthy';
}

async function breakLink(
  { links }: Victims,
  name: string,
  how: 'cut' | 'stall',
  forMs: number,
): Promise<void> {
  const link = links.get(name);
  link?.[how]();
  await waitMs(forMs);
  link?.mend();
}
