import { existsSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { recordingEntry, type Recording } from './recording.ts';
import { findSharedData } from './shared-data.ts';

/**
 * Returns the folder with recorded exchanges. The given folder is a recordings folder or contains `wire/`.
 * The default folder is next to the checkout. Throws if the given folder has no recordings, or if the default
 * folder is missing in CI.
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
 * Returns whether tests may skip a kind of recording that they do not find. A folder given with `--data` may
 * lack any kind, and so may a checkout without recorded data. The default folder has every kind.
 */
export function mayLackRecordings(given: string | undefined): boolean {
  return (given !== undefined && given !== '') || findSharedData('wire') === undefined;
}

/** The recorded exchanges in a folder, optionally only those of a single API. */
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
