import { join } from 'node:path';
import { findRecordings, loadRecordings, type Recording } from '@gateway/testing';

/** Those that are given, or lie beside the checkout; and the repository's own (docs/internals/adding-a-provider.md). */
const given = findRecordings(process.env['DATA_DIR']);
const folders = [given ?? [], join(import.meta.dirname, 'recordings')].flat();

/**
 * The folders from which checks take the few recordings that they need of every format: those that are given, and, since
 * those may lack some, those beside the checkout.
 */
export const sampleFolders = [...new Set([given, findRecordings(undefined)])].filter(
  (folder) => folder !== undefined,
);

/**
 * One check over every recorded exchange of an API that it concerns: a test an exchange, under a `describe` for the check
 * and one for the API, which is what the table of the run counts by. Without a recording that it concerns there is
 * nothing to check, and one skipped test says so: the counts of the table show what was held to what.
 */
export function checkEvery(
  check: string,
  api: string,
  concerns: (recording: Recording) => boolean,
  verify: (recording: Recording) => void | Promise<void>,
): void {
  const recordings = folders.flatMap((folder) => loadRecordings(folder, api)).filter(concerns);
  describe(check, () => {
    describe(api, () => {
      if (recordings.length === 0)
        it.skip('no recording that it concerns: give others with --data', () => undefined);
      for (const recording of recordings) it(recording.id, async () => verify(recording));
    });
  });
}

export function isAnswered({ status, response_file }: Recording): boolean {
  return status === 200 && response_file !== null;
}

/** What was recorded, which the check has already seen to be there. */
export function bodyOf(recording: Recording, which: 'request' | 'response'): Buffer {
  const body = recording[which]();
  if (body === undefined) throw new Error(`${recording.id} has no ${which}`);
  return body;
}
