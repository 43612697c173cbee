import { copyFileSync, existsSync, readdirSync, statSync, truncateSync } from 'node:fs';
import { join } from 'node:path';

const LOG_BYTES_MAX = 64 * 1024 * 1024;
const CHECK_EVERY_MS = 15_000;

/** Moves what is in a log that has grown too large to `<name>.log.1`, in place of what was there. */
function rotateLogs(directory: string): void {
  for (const name of readdirSync(directory)) {
    const file = join(directory, name);
    if (!name.endsWith('.log') || !existsSync(file) || statSync(file).size < LOG_BYTES_MAX) continue;
    // Its writers hold the file open in append mode, so it is emptied in place instead of renamed under them.
    copyFileSync(file, `${file}.1`);
    truncateSync(file, 0);
  }
}

/** Keeps every log file of the directory within bounds, until it is stopped. */
export function startLogRotation(directory: string): { stop(): void } {
  const timer = setInterval(() => rotateLogs(directory), CHECK_EVERY_MS);
  timer.unref();
  return { stop: () => clearInterval(timer) };
}
