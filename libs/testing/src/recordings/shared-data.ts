import { existsSync } from 'node:fs';
import { resolve } from 'node:path';

/** The folder of recorded data next to the checkout. The folder is not part of the repository. */
const sharedData = resolve(import.meta.dirname, '../../../../../shared/data');

/**
 * Finds a file or folder of the recorded data next to the checkout.
 * @returns the path, or undefined if the file or folder is missing, so that tests can skip
 * @throws Error if the file or folder is missing in CI. A skipped test in CI would pass unnoticed.
 */
export function findSharedData(path: string): string | undefined {
  const found = resolve(sharedData, path);
  if (existsSync(found)) return found;
  if (process.env['CI'] === 'true') throw new Error(`CI needs the recorded data: ${found} is missing.`);
  return undefined;
}
