import { existsSync, mkdirSync, rmSync, rmdirSync } from 'node:fs';
import { unlink } from 'node:fs/promises';
import { join } from 'node:path';
import { uuidv7 } from 'uuidv7';
import { DatabaseSync } from 'node:sqlite';
import type { Segment } from './segment.ts';
import { isCommitted } from './segment.ts';

/** A locked directory of segments: this process's own, or one adopted from a dead process. */
export interface SpoolDirectory {
  readonly path: string;
  readonly lock: DirectoryLock;
  /** Oldest first. */
  readonly segments: Segment[];
}

/**
 * Makes a directory of this process's own. The name is new at every start, so that a restarted process never
 * meets its own past under another's lock: what it left is adopted like anybody's.
 */
export function createSpoolDirectory(spoolDir: string, instanceId: string): SpoolDirectory {
  for (let attempt = 0; attempt < 10; attempt += 1) {
    const path = join(spoolDir, `${instanceId}.${uuidv7()}`);
    mkdirSync(path, { recursive: true, mode: 0o700 });
    // A neighbour that looks for orphans may lock and remove the empty directory first.
    const lock = tryLockDirectory(path);
    if (lock !== null) return { path, lock, segments: [] };
  }
  throw new Error(`no lock could be taken in the spool directory ${spoolDir}`);
}

/**
 * Deletes segments whose endings are all in Postgres, oldest first. It stops at one with requests still open and
 * answers it: with a later one deleted first, a restart would see requests whose ending is gone.
 */
export async function deleteCommittedSegments(
  directory: SpoolDirectory,
): Promise<{ readonly bytes: number; readonly heldBy: Segment | null }> {
  let bytes = 0;
  for (;;) {
    const oldest = directory.segments[0];
    if (oldest === undefined || !isCommitted(oldest)) return { bytes, heldBy: null };
    if (oldest.openAccepts > 0) return { bytes, heldBy: oldest };
    directory.segments.shift();
    bytes += oldest.bytes;
    await unlink(oldest.path).catch((error: unknown) => {
      if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
    });
  }
}

/** Lets go of a directory; removes it if nothing is left in it. */
export function leaveDirectory(directory: SpoolDirectory): void {
  if (directory.segments.length > 0) {
    directory.lock.release();
    return;
  }
  directory.lock.dispose();
  try {
    rmdirSync(directory.path);
  } catch {
    // Not empty: the next process to start looks at what is there.
  }
}

/** A lock on a directory that ends with the process that holds it, however that dies. */
interface DirectoryLock {
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
