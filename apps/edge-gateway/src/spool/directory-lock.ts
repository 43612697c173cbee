import { existsSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';

/** A lock on a directory that ends with the process that holds it, however that dies. */
export interface DirectoryLock {
  release(): void;
  /** Removes the lock's file, then releases. For a directory about to be removed. */
  dispose(): void;
}

const lockFile = 'lock';

/**
 * Takes the lock, or answers null if another process (or this one) holds it. Never waits.
 *
 * Node has no flock. SQLite's exclusive transaction is a kernel lock (fcntl) on the file, which a pid file is
 * not: nothing is left behind by `kill -9`, and containers that share a volume but not their process ids are
 * kept apart too. Hazard: network file systems on which fcntl locks don't hold. There two processes could
 * adopt one directory: duplicates are harmless, but one would delete segments under the other. A spool
 * belongs on a local disk.
 */
export function tryLockDirectory(directory: string): DirectoryLock | null {
  const path = join(directory, lockFile);
  let database: DatabaseSync | undefined;
  try {
    database = new DatabaseSync(path, { timeout: 0 });
    database.exec('PRAGMA journal_mode = MEMORY; BEGIN EXCLUSIVE');
  } catch {
    database?.close();
    return null;
  }
  const held = database;
  // Whoever held it before may have removed the directory: then this lock is on a file that has no name.
  if (!existsSync(path)) {
    held.close();
    return null;
  }
  return {
    release: () => held.close(),
    dispose: () => {
      rmSync(path, { force: true });
      held.close();
    },
  };
}
