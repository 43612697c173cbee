import { findRecordings, loadRecordings, type Recording } from '@gateway/testing';

const folder = findRecordings(process.env['DATA_DIR']);

/**
 * One check over every recorded exchange of an API that it concerns: a test an exchange, under a `describe` for the check
 * and one for the API, which is what the table of the run counts by. Without recordings there is nothing to check, and
 * one skipped test says so.
 */
export function checkEvery(
  check: string,
  api: string,
  concerns: (recording: Recording) => boolean,
  verify: (recording: Recording) => void | Promise<void>,
): void {
  const recordings = folder === undefined ? [] : loadRecordings(folder, api).filter(concerns);
  describe(check, () => {
    describe(api, () => {
      if (folder === undefined) it.skip('no recordings: give their folder with --data', () => undefined);
      else if (recordings.length === 0)
        it('concerns some recording', () => expect(recordings).not.toEqual([]));
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
