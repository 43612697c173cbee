import { unlinkSync } from 'node:fs';
import { join } from 'node:path';

/** The folder with the armed failpoints. Only a build with failpoints defines the folder (`tools/build/bundle.mjs`). */
declare const FAILPOINTS_FOLDER: string | undefined;

/**
 * A point in the code between two steps, where a test can kill the process. The name contains both steps:
 *
 * - `commit-announce`: the account service commits a change, and announces the change to the edges.
 * - `spool-ship`: the edge writes the end of a request into its spool, and ships the spool to the queue.
 * - `ship-commit`: the worker receives a shipped batch, and commits the batch to the request log.
 * - `settle-flush`: the edge settles the saved tokens of a request, and sends the tokens to Redis.
 * - `plan-store`: the edge plans a conversation with bound reasoning, and stores the plan.
 */
export type Failpoint = 'commit-announce' | 'spool-ship' | 'ship-commit' | 'settle-flush' | 'plan-store';

/**
 * Kills this process if the failpoint is armed. To arm a failpoint, a test creates a file of the same name.
 * The failpoint deletes the file, so it kills only once. Put the label `FAILPOINT` before each call. Builds
 * without failpoints omit all statements with this label.
 */
export function failpoint(name: Failpoint): void {
  if (typeof FAILPOINTS_FOLDER === 'undefined') return;
  try {
    unlinkSync(join(FAILPOINTS_FOLDER, name));
  } catch {
    return;
  }
  process.kill(process.pid, 'SIGKILL');
}
