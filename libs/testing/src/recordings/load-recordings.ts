import { existsSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import type { Recording } from './recording.ts';
import { recordingEntry } from './recording.ts';

/** The folder of recorded data next to the checkout. The folder is not part of the repository. */
const sharedData = resolve(import.meta.dirname, '../../../../../shared/data');

/**
 * Finds a file or folder in the recorded data next to the checkout.
 * @returns the path, or undefined if the file or folder is missing, so that tests can skip
 * @throws Error if the file or folder is missing in CI. In CI, a skipped test would go unnoticed.
 */
export function findSharedData(path: string): string | undefined {
  const found = resolve(sharedData, path);
  if (existsSync(found)) return found;
  if (process.env['CI'] === 'true') throw new Error(`CI needs the recorded data, but ${found} is missing.`);
  return undefined;
}

/**
 * Returns the folder with recorded exchanges. The folder `given` contains recordings or a subfolder `wire/`
 * with recordings. The default folder is located next to the checkout. Throws if the given folder has no
 * recordings, or if the default folder is missing in CI.
 */
export function findRecordings(given: string | undefined): string | undefined {
  if (given === undefined || given === '') return findSharedData('wire');
  const folder = resolve(given);
  const found = [folder, join(folder, 'wire')].find((candidate) =>
    existsSync(join(candidate, 'index.jsonl')),
  );
  if (found === undefined) throw new Error(`There are no recordings (index.jsonl) in ${folder}.`);
  return found;
}

/**
 * Skips tests for which the machine lacks recorded data or a program. `findSharedData` makes CI fail without the
 * recorded data, so tests with recorded data never skip there.
 * @param run `describe`, `it` or `test`
 */
export function skipUnless<Run extends { readonly skip: Run }>(isPresent: boolean, run: Run): Run {
  return isPresent ? run : run.skip;
}

/**
 * Whether tests may skip missing types of recordings. If a folder is given with `--data`, tests may skip the
 * recordings that the folder lacks. Tests may skip all recordings if the checkout has no recorded data. The
 * default folder contains every type of recording.
 */
export function mayLackRecordings(given: string | undefined): boolean {
  return (given !== undefined && given !== '') || findSharedData('wire') === undefined;
}

/** Lists the recorded exchanges in a folder. If `api` is given, lists only the exchanges with this API. */
export function loadRecordings(folder: string, api?: string): Recording[] {
  return readFileSync(join(folder, 'index.jsonl'), 'utf8')
    .split('\n')
    .filter((line) => line.trim() !== '')
    .map((line) => recordingEntry.parse(JSON.parse(line)))
    .filter((entry) => api === undefined || entry.api === api)
    .map((entry) => ({
      ...entry,
      request: () => readBody(folder, entry.request_file),
      response: () => readBody(folder, entry.response_file),
    }));
}

function readBody(folder: string, file: string | null): Buffer | undefined {
  return file === null ? undefined : readFileSync(join(folder, file));
}
