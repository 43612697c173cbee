import { copyFileSync, existsSync, readdirSync, statSync, truncateSync } from 'node:fs';
import { join } from 'node:path';

const LOG_BYTES_MAX = 64 * 1024 * 1024;
const CHECK_EVERY_MS = 15_000;

/**
 * Moves the content of oversized log files to `<name>.log.1`. The previous content of `<name>.log.1` is
 * lost.
 */
function rotateLogs(directory: string): void {
  for (const name of readdirSync(directory)) {
    const file = join(directory, name);
    if (!name.endsWith('.log') || !existsSync(file) || statSync(file).size < LOG_BYTES_MAX) continue;
    // Processes keep the log file open in append mode, so the file is truncated instead of replaced.
    copyFileSync(file, `${file}.1`);
    truncateSync(file, 0);
  }
}

/** Limits the size of every log file in the directory until the rotation stops. */
export function startLogRotation(directory: string): { stop(): void } {
  const timer = setInterval(() => rotateLogs(directory), CHECK_EVERY_MS);
  timer.unref();
  return { stop: () => clearInterval(timer) };
}
