import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { findSharedData, skipUnless } from '@gateway/testing';
import { loadTranscripts } from '../eval/compression/transcripts.ts';
import { followable, invariants } from './compression-properties.ts';

// The folder of recorded sessions, which is `--data DIR` or the folder next to the checkout.
const given = process.env['DATA_DIR'] ?? '';
const folder =
  [given, join(given, 'transcripts')].find((each) => existsSync(join(each, 'transcripts.jsonl'))) ??
  findSharedData('transcripts');
const transcripts = folder === undefined ? [] : loadTranscripts(folder);
const timeoutMs = 120_000;

// The transcripts are not part of the repository. CI requires the transcripts (see `findSharedData`).
skipUnless(folder !== undefined, describe)(
  `the compression invariants hold for each of ${transcripts.length} recorded sessions`,
  () => {
    it('there are recorded sessions', () => expect(transcripts.length).toBeGreaterThan(0));

    for (const [name, holds] of [
      ...Object.entries(invariants),
      ['references can be replaced with every line that they replaced', followable] as const,
    ]) {
      it(
        name,
        () => {
          for (const { blocks } of transcripts) holds(blocks);
        },
        timeoutMs,
      );
    }
  },
);
