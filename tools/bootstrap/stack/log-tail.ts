import { closeSync, existsSync, openSync, readSync, statSync } from 'node:fs';

const TAIL_BYTES_MAX = 32 * 1024;

/**
 * Reads at most `limit` bytes of a file, starting at `offset`. Returns an empty result if the file does not
 * exist.
 */
export function readBytes(file: string, offset: number, limit: number): Buffer {
  if (!existsSync(file)) return Buffer.alloc(0);
  const descriptor = openSync(file, 'r');
  try {
    const bytes = Buffer.alloc(Math.max(0, Math.min(limit, statSync(file).size - offset)));
    return bytes.subarray(0, readSync(descriptor, bytes, 0, bytes.length, offset));
  } finally {
    closeSync(descriptor);
  }
}

/** Returns the last lines of a log file. */
export function readLogTail(file: string, lines: number): string {
  if (!existsSync(file)) return '';
  const offset = Math.max(0, statSync(file).size - TAIL_BYTES_MAX);
  return readBytes(file, offset, TAIL_BYTES_MAX)
    .toString('utf8')
    .trimEnd()
    .split('\n')
    .slice(-lines)
    .join('\n');
}
