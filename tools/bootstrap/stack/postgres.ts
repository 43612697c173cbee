import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import {
  chownSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  realpathSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import pg from 'pg';
import type { DataDir } from './data-dir.ts';
import type { ProcessPlan } from './managed-process.ts';
import { canReach, choosePostgresUser, findPostgresBinaries, SHARED_HOME } from './postgres-binaries.ts';
import type { SystemUser } from './postgres-binaries.ts';

/**
 * Flags for initdb. With Postgres's built-in locale, clusters do not depend on the machine's locales.
 */
const CLUSTER_FLAGS = [
  '--auth=scram-sha-256',
  '--username=postgres',
  '--encoding=UTF8',
  '--locale-provider=builtin',
  '--builtin-locale=C.UTF-8',
  '--locale=C',
];
const environment = { PATH: '/usr/bin:/bin', LC_ALL: 'C', TZ: 'UTC' };

/**
 * Returns the actual directory of the Postgres cluster. If `user` cannot enter the data directory, the data
 * directory contains only a link to the cluster.
 */
export function openClusterDir(dataDir: DataDir, user: SystemUser | undefined): string {
  const wanted = join(dataDir.path, 'postgres');
  if (existsSync(wanted)) return realpathSync(wanted);
  // A link may exist at this path even if the target of the link was deleted.
  rmSync(wanted, { force: true });
  let actual = wanted;
  if (user !== undefined && !canReach(dataDir.path, user, 'enter')) {
    const id = createHash('sha256').update(dataDir.path).digest('hex').slice(0, 12);
    actual = join(SHARED_HOME, `data-${id}`);
    mkdirSync(dirname(actual), { recursive: true });
    // If a user deleted an earlier data directory with the same path, its cluster directory may still exist.
    rmSync(actual, { recursive: true, force: true });
    symlinkSync(actual, wanted);
  }
  mkdirSync(actual, { mode: 0o700 });
  if (user) chownSync(actual, user.uid, user.gid);
  return actual;
}

/**
 * Runs `work` with a file that contains the administrator's password. Only the user that runs initdb can read
 * the password file.
 */
async function withPasswordFile(
  password: string,
  user: SystemUser | undefined,
  work: (file: string) => Promise<unknown>,
): Promise<void> {
  const directory = mkdtempSync(join(tmpdir(), 'agent-gateway-'));
  try {
    const file = join(directory, 'password');
    writeFileSync(file, `${password}\n`, { mode: 0o600 });
    if (user) for (const path of [file, directory]) chownSync(path, user.uid, user.gid);
    await work(file);
  } finally {
    rmSync(directory, { recursive: true, force: true });
  }
}

/**
 * Removes the stale lock file of a Postgres server that was killed together with its machine or container. If
 * a different program now has the process id in the lock file, Postgres would assume that another server is
 * running, and refuse to start.
 */
function dropForeignLock(clusterDir: string): void {
  const lockFile = join(clusterDir, 'postmaster.pid');
  if (process.platform !== 'linux' || !existsSync(lockFile)) return;
  const pid = Number.parseInt(readFileSync(lockFile, 'utf8'), 10);
  const nameFile = `/proc/${pid}/comm`;
  if (existsSync(nameFile) && readFileSync(nameFile, 'utf8').trim() !== 'postgres') rmSync(lockFile);
}

export interface PostgresOptions {
  readonly port: number;
  readonly adminPassword: string;
  /**
   * Whether Postgres protects data against crashes. Test data does not need to survive a crash, and tests run
   * faster without crash protection.
   */
  readonly durable: boolean;
}

async function createCluster(
  bin: string,
  clusterDir: string,
  options: PostgresOptions,
  user: SystemUser | undefined,
): Promise<void> {
  const flags = options.durable ? CLUSTER_FLAGS : [...CLUSTER_FLAGS, '--no-sync'];
  await withPasswordFile(options.adminPassword, user, (file) =>
    promisify(execFile)(join(bin, 'initdb'), [`--pgdata=${clusterDir}`, `--pwfile=${file}`, ...flags], {
      ...user,
      cwd: '/',
      env: environment,
    }),
  );
}

function renderSettings(options: PostgresOptions): string[] {
  const settings = {
    port: options.port,
    listen_addresses: '127.0.0.1',
    unix_socket_directories: '',
    max_connections: 200,
    password_encryption: 'scram-sha-256',
    timezone: 'UTC',
    jit: 'off',
    ...(options.durable ? {} : { fsync: 'off', full_page_writes: 'off' }),
  };
  return Object.entries(settings).flatMap(([key, value]) => ['-c', `${key}=${value}`]);
}

/** Creates the Postgres cluster if it is missing. Returns the command that runs the Postgres cluster. */
export async function planPostgres(dataDir: DataDir, options: PostgresOptions): Promise<ProcessPlan> {
  const user = choosePostgresUser();
  const bin = findPostgresBinaries(user);
  const clusterDir = openClusterDir(dataDir, user);
  if (!existsSync(join(clusterDir, 'PG_VERSION'))) await createCluster(bin, clusterDir, options, user);
  dropForeignLock(clusterDir);
  return {
    name: 'postgres',
    command: join(bin, 'postgres'),
    args: ['-D', clusterDir, ...renderSettings(options)],
    cwd: '/',
    env: environment,
    logFile: dataDir.logFile('postgres'),
    // SIGINT starts a "fast shutdown" of Postgres, which ends the sessions and writes all data.
    // After a SIGTERM, Postgres would wait until all clients disconnect.
    stopSignal: 'SIGINT',
    stopGraceMs: 15_000,
    ...(user ? { user } : {}),
  };
}

/** Returns true if a client can open a database session. */
export async function canOpenDatabase(url: string): Promise<boolean> {
  const client = new pg.Client({ connectionString: url, connectionTimeoutMillis: 2_000 });
  try {
    await client.connect();
    return true;
  } catch {
    return false;
  } finally {
    await client.end().catch(() => undefined);
  }
}
