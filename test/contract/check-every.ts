import { join } from 'node:path';
import {
  findRecordings,
  loadRecordings,
  mayLackRecordings,
  type Recording,
  skipUnless,
} from '@gateway/testing';

/**
 * The folders of recorded exchanges. The first folder is given with `--data`, or is next to the checkout. The
 * second folder is part of the repository (docs/internals/adding-a-provider.md).
 */
const given = findRecordings(process.env['DATA_DIR']);
const folders = [given ?? [], join(import.meta.dirname, 'recordings')].flat();

/**
 * The folders for checks that need some recordings of every format. The folder next to the checkout is
 * included, because the folder given with `--data` may lack some formats.
 */
export const sampleFolders = [...new Set([given, findRecordings(undefined)])].filter(
  (folder) => folder !== undefined,
);

/**
 * Runs one check on every suitable recording of an API. Each exchange becomes one test inside two nested
 * `describe` blocks, for the check and for the API. The table reporter counts tests by the names of the
 * `describe` blocks. If no recording is suitable, one test reports the missing recordings. The test is
 * skipped only if the folder may lack recordings.
 * @param concerns returns true for a suitable recording.
 * @param step without `--data`, only every `step`-th recording is checked, to save time in `npm test`
 */
export function checkEvery(
  check: string,
  api: string,
  concerns: (recording: Recording) => boolean,
  verify: (recording: Recording) => void | Promise<void>,
  step = 1,
): void {
  const isWhole = (process.env['DATA_DIR'] ?? '') !== '';
  const recordings = folders
    .flatMap((folder) => loadRecordings(folder, api))
    .filter(concerns)
    .filter((_, at) => isWhole || at % step === 0);
  describe(check, () => {
    describe(api, () => {
      if (recordings.length === 0)
        skipUnless(!mayLackRecordings(process.env['DATA_DIR']), it)(
          'no recording for this check: provide recordings with --data',
          () => expect(recordings).not.toEqual([]),
        );
      for (const recording of recordings) it(recording.id, async () => verify(recording));
    });
  });
}

export function isAnswered({ status, response_file }: Recording): boolean {
  return status === 200 && response_file !== null;
}

/**
 * Returns the request body or the response body of a recording. Throws an error if the recording lacks the
 * body.
 */
export function bodyOf(recording: Recording, which: 'request' | 'response'): Buffer {
  const body = recording[which]();
  if (body === undefined) throw new Error(`${recording.id} has no ${which}`);
  return body;
}
