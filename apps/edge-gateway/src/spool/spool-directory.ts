import { mkdirSync, rmdirSync } from 'node:fs';
import { unlink } from 'node:fs/promises';
import { join } from 'node:path';
import { uuidv7 } from 'uuidv7';
import { tryLockDirectory, type DirectoryLock } from './directory-lock.ts';
import { isCommitted, type Segment } from './segment.ts';

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
