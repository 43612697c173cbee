import { existsSync, mkdirSync, rmSync, rmdirSync } from 'node:fs';
import { unlink } from 'node:fs/promises';
import { join } from 'node:path';
import { uuidv7 } from 'uuidv7';
import { DatabaseSync } from 'node:sqlite';
import type { SpoolLog } from './shipped-batches.ts';
import type { Segment } from './segment.ts';
import { isCommitted } from './segment.ts';

export interface RequestSpoolOptions {
  /** Spool directory on a local disk, shared by all gateway processes on the machine. */
  readonly dir: string;
  /** Maximum disk space for this process in bytes, including adopted segments. */
  readonly bytesMax: number;
  readonly instanceId: string;
  readonly log: SpoolLog;
  readonly now?: () => number;
  /**
   * Length in bytes at which a segment file is closed for appending. The default length is 8 MiB, or a
   * sixteenth of the spool size if the spool is smaller than 128 MiB.
   */
  readonly segmentBytesMax?: number;
  /** Age in milliseconds at which a segment file is closed, so that committed data is deleted soon. */
  readonly segmentAgeMaxMs?: number;
}

/** A locked directory of segment files, which this process created or adopted from a dead process. */
export interface SpoolDirectory {
  readonly path: string;
  readonly lock: DirectoryLock;
  /** The directory's segments, oldest first. */
  readonly segments: Segment[];
}

/**
 * Creates this process's spool directory, with a new name on every startup. After a restart, the process adopts its
 * earlier directory in the same way as the directories of other processes.
 */
export function createSpoolDirectory(spoolDir: string, instanceId: string): SpoolDirectory {
  for (let attempt = 0; attempt < 10; attempt += 1) {
    const path = join(spoolDir, `${instanceId}.${uuidv7()}`);
    mkdirSync(path, { recursive: true, mode: 0o700 });
    // Another process that cleans up abandoned directories may lock and remove the new directory first.
    const lock = tryLockDirectory(path);
    if (lock !== null) return { path, lock, segments: [] };
  }
  throw new Error(`no lock could be taken in the spool directory ${spoolDir}`);
}

/**
 * Deletes segments, oldest first, if all of their end lines are in Postgres. Deletion stops at a segment with open
 * requests, and the function returns that segment. If a later segment were deleted first, a restarted process would
 * find requests without their end lines.
 */
export async function deleteCommittedSegments(
  directory: SpoolDirectory,
  onDeleted: (segment: Segment) => void,
): Promise<{ readonly bytes: number; readonly heldBy: Segment | null }> {
  let bytes = 0;
  for (;;) {
    const oldest = directory.segments[0];
    if (oldest === undefined || !isCommitted(oldest)) return { bytes, heldBy: null };
    if (oldest.openAccepts > 0) return { bytes, heldBy: oldest };
    directory.segments.shift();
    bytes += oldest.bytes;
    onDeleted(oldest);
    await unlink(oldest.path).catch((error: unknown) => {
      if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
    });
  }
}

/** Releases a spool directory, and removes it if it is empty. */
export function leaveDirectory(directory: SpoolDirectory): void {
  if (directory.segments.length > 0) {
    directory.lock.release();
    return;
  }
  directory.lock.dispose();
  try {
    rmdirSync(directory.path);
  } catch {
    // If the directory is not empty, the next process adopts it.
  }
}

/** A directory lock that is released when its process dies for any reason. */
interface DirectoryLock {
  release(): void;
  /**
   * Removes the lock file and then releases the lock. Callers use this function only for directories that are
   * about to be removed.
   */
  dispose(): void;
}

const lockFile = 'lock';

/**
 * Locks a directory. Returns null if another process holds the lock. The function never waits. Node has no function
 * for file locks (flock). An exclusive transaction in SQLite holds a kernel lock (fcntl) on the file. Unlike a pid
 * file, the lock disappears when the process is killed with `kill -9`. The lock also works between containers that
 * share a volume but have separate process ids. On a network file system without working locks, two processes could
 * adopt one directory, and one could delete the other's segments. The spool must be on a local disk.
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
  // A lock on an unlinked file protects nothing. The previous holder of the lock may have removed the directory.
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
