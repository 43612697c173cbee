import { chownSync, lchownSync, mkdirSync, readdirSync, realpathSync, writeFileSync } from 'node:fs';
import { copyFile, lstat, mkdir, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import pg from 'pg';
import type { DataDir } from './data-dir.ts';
import { openClusterDir } from './postgres.ts';
import { choosePostgresUser } from './postgres-binaries.ts';
import type { SystemUser } from './postgres-binaries.ts';

/**
 * Files that are not copied from a running Postgres cluster. Some of the skipped files belong to the running server
 * process, and Postgres recreates the others (Postgres manual, "Making a Base Backup Using the Low Level API").
 */
const leftOut = /^(postmaster\.pid|postmaster\.opts|pgsql_tmp.*|pg_internal\.init)$/;
const leftEmpty = new Set([
  'pg_wal',
  'pg_replslot',
  'pg_dynshmem',
  'pg_notify',
  'pg_serial',
  'pg_snapshots',
  'pg_stat_tmp',
  'pg_subtrans',
]);

interface BackupEnd {
  readonly labelfile: string;
  readonly spcmapfile: string;
}

/**
 * Copies a running Postgres cluster with all its databases, without stopping it. The backup is consistent as
 * of a single point in time. This function replaces pg_basebackup, which the embedded Postgres lacks. Returns
 * the number of copied bytes.
 */
export async function backUpCluster(dataDir: DataDir, adminUrl: string, target: string): Promise<number> {
  const source = realpathSync(join(dataDir.path, 'postgres'));
  const client = new pg.Client({ connectionString: adminUrl });
  await client.connect();
  try {
    // Prevents Postgres from deleting segments of the write-ahead log until they have been copied.
    // The replication slot is temporary, so Postgres drops the slot at the end of the database session.
    await client.query(
      `SELECT pg_create_physical_replication_slot('backup_' || pg_backend_pid(), true, true)`,
    );
    await client.query(`SELECT pg_backup_start('backup', fast => true)`);
    let bytes = await copyTree(source, target, (name, depth) => depth > 0 || !leftEmpty.has(name));
    const { rows } = await client.query<BackupEnd>(
      'SELECT labelfile, spcmapfile FROM pg_backup_stop(wait_for_archive => false)',
    );
    bytes += await copyTree(join(source, 'pg_wal'), join(target, 'pg_wal'), () => true);
    const [end] = rows;
    if (end === undefined) throw new Error('Postgres returned no result for the end of the backup.');
    writeFileSync(join(target, 'backup_label'), end.labelfile, { mode: 0o600 });
    if (end.spcmapfile !== '') writeFileSync(join(target, 'tablespace_map'), end.spcmapfile, { mode: 0o600 });
    return bytes;
  } finally {
    await client.end();
  }
}

/**
 * Copies a cluster's backup to the location where a stack with an empty data directory looks for its
 * cluster.
 */
export async function restoreCluster(dataDir: DataDir, source: string): Promise<void> {
  const user = choosePostgresUser();
  const target = openClusterDir(dataDir, user);
  await copyTree(source, target, () => true);
  if (user) giveTo(target, user);
}

type Chooses = (directory: string, depth: number) => boolean;

/**
 * Copies a folder. Files may disappear during the copy. Files that disappear during the copy are not needed
 * to replay the write-ahead log.
 */
async function copyTree(source: string, target: string, isCopied: Chooses, depth = 0): Promise<number> {
  await mkdir(target, { recursive: true, mode: 0o700 });
  let bytes = 0;
  for (const entry of await readdir(source, { withFileTypes: true })) {
    const [from, to] = [join(source, entry.name), join(target, entry.name)];
    if (entry.isDirectory()) {
      if (isCopied(entry.name, depth)) bytes += await copyTree(from, to, isCopied, depth + 1);
      else mkdirSync(to, { recursive: true, mode: 0o700 });
    } else if (entry.isFile() && !leftOut.test(entry.name)) bytes += await copyUnlessGone(from, to);
  }
  return bytes;
}

async function copyUnlessGone(from: string, to: string): Promise<number> {
  try {
    await copyFile(from, to);
    return (await lstat(to)).size;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return 0;
    throw error;
  }
}

function giveTo(path: string, { uid, gid }: SystemUser): void {
  chownSync(path, uid, gid);
  for (const entry of readdirSync(path, { withFileTypes: true }))
    if (entry.isDirectory()) giveTo(join(path, entry.name), { uid, gid });
    else lchownSync(join(path, entry.name), uid, gid);
}
