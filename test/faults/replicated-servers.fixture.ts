import { findFreePort, startStack, type StackUnderTest } from '@gateway/testing';
import { Redis } from 'ioredis';
import {
  appendFileSync,
  chownSync,
  copyFileSync,
  mkdirSync,
  mkdtempSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { backUpCluster, restoreCluster } from '../../tools/bootstrap/stack/cluster-copy.ts';
import { openDataDir } from '../../tools/bootstrap/stack/data-dir.ts';
import { databaseOwners } from '../../tools/bootstrap/stack/databases.ts';
import { startProcess, type ManagedProcess } from '../../tools/bootstrap/stack/managed-process.ts';
import { canOpenDatabase, openClusterDir, planPostgres } from '../../tools/bootstrap/stack/postgres.ts';
import { choosePostgresUser } from '../../tools/bootstrap/stack/postgres-binaries.ts';
import { requireProgram } from '../../tools/bootstrap/stack/programs.ts';
import { redisAnswers } from '../../tools/bootstrap/stack/redis.ts';
import { eventually, undoAll, type Undo } from '../integration/stack.fixture.ts';
import { query } from './lost-nothing.fixture.ts';

/** The user that standby servers replicate with. Without this user, replication stops, and all other clients work. */
const replicator = 'replicator';

/** A primary server with one asynchronous standby. */
export interface ReplicatedServer {
  /** Stops replication, so that the standby lacks all later writes. */
  cutReplication(): Promise<void>;
  /** Kills the primary with SIGKILL. */
  killPrimary(): Promise<void>;
  /** Returns the bytes that the primary has written and the standby has not received. */
  readLagBytes(): Promise<number>;
}

export interface ReplicatedPostgres extends ReplicatedServer {
  /** Makes the standby the primary, as a failover manager does. */
  promote(): Promise<void>;
  /** A direct URL of each database on the standby. */
  readonly standbyUrls: Readonly<Record<(typeof databaseOwners)[number], string>>;
}

/** Postgres and both Redis servers, each with a standby, and three Sentinels. */
export interface ReplicatedServers {
  readonly postgres: ReplicatedPostgres;
  readonly redis: Readonly<Record<'queue' | 'cache', ReplicatedServer>>;
  /** The direct URL of each database on the first primary. */
  readonly directUrls: Readonly<Record<(typeof databaseOwners)[number], string>>;
  /** The addresses for a gateway, by environment variable. */
  readonly variables: Readonly<Record<string, string>>;
  stop(): Promise<void>;
}

/** Starts the servers with empty databases. */
export async function startReplicatedServers(): Promise<ReplicatedServers> {
  const undo: Undo[] = [];
  const folder = mkdtempSync(join(tmpdir(), 'replicated-'));
  undo.push(() => rmSync(folder, { recursive: true, force: true }));
  try {
    const base = await startStack({ apps: [] });
    undo.push(() => base.stop());
    const standby = await startStandby(base, join(folder, 'standby'), undo);
    const queue = await startReplica(base, 'redis', folder, undo);
    const cache = await startReplica(base, 'redis-cache', folder, undo);
    const sentinels = await startSentinels({ queue, cache }, folder, undo);
    const sentinelUrl = (name: string, password: string): string =>
      `redis-sentinel://:${password}@${sentinels.map((port) => `127.0.0.1:${port}`).join(',')}/0?sentinelMasterId=${name}`;
    const databases = databaseOwners.map((owner) => [
      `${owner.toUpperCase()}_DATABASE_URL`,
      withStandby(base.dev.postgres[owner], standby.port),
    ]);
    return {
      postgres: standby,
      redis: { queue, cache },
      directUrls: base.dev.postgres,
      variables: {
        ...(Object.fromEntries(databases) as Record<string, string>),
        REDIS_URL: sentinelUrl('queue', queue.password),
        REDIS_CACHE_URL: sentinelUrl('cache', cache.password),
      },
      stop: () => undoAll(undo),
    };
  } catch (error) {
    await undoAll(undo);
    throw error;
  }
}

const withPort = (url: string, port: number): string =>
  Object.assign(new URL(url), { port: String(port) }).href;

/** Adds the standby as the first host of a database URL, so that a client must skip the standby. */
const withStandby = (url: string, port: number): string =>
  `${url.replace('@', `@127.0.0.1:${port},`)}?target_session_attrs=read-write`;

async function startStandby(
  base: StackUnderTest,
  path: string,
  undo: Undo[],
): Promise<ReplicatedPostgres & { readonly port: number }> {
  const admin = base.dev.postgres.admin ?? '';
  const adminPassword = decodeURIComponent(new URL(admin).password);
  await query(admin, `CREATE ROLE ${replicator} REPLICATION LOGIN PASSWORD '${adminPassword}'`, []);
  const dataDir = openDataDir(path);
  await backUpCluster(openDataDir(base.dataDir), admin, join(path, 'backup'));
  await restoreCluster(dataDir, join(path, 'backup'));
  const user = choosePostgresUser();
  const cluster = openClusterDir(dataDir, user);
  undo.push(() => rmSync(cluster, { recursive: true, force: true }));
  const { port: primaryPort } = new URL(admin);
  const connection = `host=127.0.0.1 port=${primaryPort} user=${replicator} password=${adminPassword}`;
  appendFileSync(join(cluster, 'postgresql.auto.conf'), `primary_conninfo = '${connection}'\n`);
  const signal = join(cluster, 'standby.signal');
  writeFileSync(signal, '');
  if (user) chownSync(signal, user.uid, user.gid);
  const port = await findFreePort();
  const standby = await startProcess(await planPostgres(dataDir, { port, adminPassword, durable: false }));
  undo.push(() => standby.stop());
  const url = withPort(admin, port);
  await eventually(async () => ((await canOpenDatabase(url)) ? true : undefined), 60_000);
  const urls = databaseOwners.map((owner) => [owner, withPort(base.dev.postgres[owner], port)]);
  return {
    port,
    standbyUrls: Object.fromEntries(urls) as ReplicatedPostgres['standbyUrls'],
    cutReplication: async () => {
      await query(admin, `ALTER ROLE ${replicator} NOLOGIN`, []);
      await query(admin, 'SELECT pg_terminate_backend(pid) FROM pg_stat_replication', []);
    },
    killPrimary: () => base.service('postgres').kill(),
    readLagBytes: async () => {
      const [row] = await query<{ received: string }>(
        url,
        'SELECT pg_last_wal_receive_lsn()::text AS received',
        [],
      );
      const sql = 'SELECT pg_wal_lsn_diff(pg_current_wal_lsn(), $1::pg_lsn)::float8 AS lag';
      const [lag] = await query<{ lag: number }>(admin, sql, [row?.received]);
      return lag?.lag ?? NaN;
    },
    promote: async () => {
      await query(url, 'SELECT pg_promote(true, 30)', []);
    },
  };
}

interface Replica extends ReplicatedServer {
  readonly primaryPort: number;
  readonly password: string;
}

const serverSettings: Readonly<Record<'redis' | 'redis-cache', string>> = {
  redis: 'appendonly yes\nmaxmemory-policy noeviction',
  'redis-cache': 'appendonly no\nmaxmemory 256mb\nmaxmemory-policy allkeys-lru',
};

async function startRedisProcess(
  name: string,
  folder: string,
  config: string,
  ...options: string[]
): Promise<ManagedProcess> {
  const dir = join(folder, name);
  mkdirSync(dir, { recursive: true });
  writeFileSync(join(dir, 'redis.conf'), `bind 127.0.0.1\ndir ${dir}\n${config}\n`);
  return startProcess({
    ...{
      name,
      command: requireProgram('redis-server'),
      args: [join(dir, 'redis.conf'), ...options],
      cwd: dir,
    },
    ...{
      env: { PATH: '/usr/bin:/bin' },
      logFile: join(dir, 'log'),
      stopSignal: 'SIGTERM',
      stopGraceMs: 5_000,
    },
  });
}

async function startReplica(
  base: StackUnderTest,
  name: 'redis' | 'redis-cache',
  folder: string,
  undo: Undo[],
): Promise<Replica> {
  const primary = new URL(name === 'redis' ? base.dev.redis_url : base.dev.redis_cache_url);
  const { password } = primary;
  const client = new Redis(primary.href);
  client.on('error', () => undefined);
  undo.push(() => client.disconnect());
  await client.call('ACL', 'SETUSER', replicator, 'on', `>${password}`, '+psync', '+replconf', '+ping');
  const port = await findFreePort();
  const acl = join(folder, `${name}.acl`);
  copyFileSync(join(base.dataDir, name, 'users.acl'), acl);
  const config = [
    ...[`port ${port}`, `aclfile ${acl}`, 'save ""', serverSettings[name]],
    ...[`masteruser ${replicator}`, `masterauth ${password}`, `replicaof 127.0.0.1 ${primary.port}`],
  ];
  const replica = await startRedisProcess(`${name}-replica`, folder, config.join('\n'));
  undo.push(() => replica.stop());
  const standby = new Redis({ port, password });
  standby.on('error', () => undefined);
  undo.push(() => standby.disconnect());
  await eventually(async () =>
    (await redisAnswers(port, password)) && /master_link_status:up/.test(await standby.info('replication'))
      ? true
      : undefined,
  );
  const readOffset = async (from: Redis, field: string): Promise<number> =>
    Number(new RegExp(`^${field}:(\\d+)`, 'm').exec(await from.info('replication'))?.[1] ?? NaN);
  return {
    ...{ primaryPort: Number(primary.port), password },
    cutReplication: async () => {
      await client.call('ACL', 'SETUSER', replicator, 'off');
      await client.call('CLIENT', 'KILL', 'TYPE', 'replica');
    },
    killPrimary: () => base.service(name).kill(),
    readLagBytes: async () =>
      (await readOffset(client, 'master_repl_offset')) - (await readOffset(standby, 'slave_repl_offset')),
  };
}

const sentinelsCount = 3;

/** Starts Sentinels that watch both primaries. Two Sentinels must agree that a primary is down for 2 s. */
async function startSentinels(
  watched: Readonly<Record<string, Replica>>,
  folder: string,
  undo: Undo[],
): Promise<number[]> {
  const ports: number[] = [];
  for (let count = 0; count < sentinelsCount; count += 1) {
    const port = await findFreePort();
    const config = Object.entries(watched).flatMap(([name, { primaryPort, password }]) => [
      ...[`sentinel monitor ${name} 127.0.0.1 ${primaryPort} 2`, `sentinel auth-pass ${name} ${password}`],
      ...[`sentinel down-after-milliseconds ${name} 2000`, `sentinel failover-timeout ${name} 10000`],
    ]);
    const settings = [`port ${port}`, 'protected-mode no', ...config].join('\n');
    const sentinel = await startRedisProcess(`sentinel-${count}`, folder, settings, '--sentinel');
    undo.push(() => sentinel.stop());
    ports.push(port);
  }
  const client = new Redis({ port: ports[0]! });
  undo.push(() => client.disconnect());
  for (const name of Object.keys(watched))
    await eventually(async () => {
      const described = JSON.stringify(await client.call('SENTINEL', 'MASTER', name));
      const isComplete = /"num-slaves","1"/.test(described) && /"num-other-sentinels","2"/.test(described);
      return isComplete ? true : undefined;
    }, 60_000);
  return ports;
}
