import type { StreamEvent } from '@gateway/interchange';
import { formatNamed } from '@gateway/wire-formats';
import { bodyOf, checkEvery, isAnswered } from '../check-every.ts';
import { cutEvery, cutInsideCharacters } from '../cut-bytes.ts';
import { isSpliced } from './sum-stream.ts';

const { provider } = formatNamed('messages');

function parseChunks(chunks: readonly Buffer[]): StreamEvent[] {
  const parser = provider.openStreamParser();
  return [...chunks.flatMap((chunk) => parser.push(chunk)), ...parser.end()];
}

checkEvery(
  'stream parsed in small chunks',
  'messages',
  (recording) => isAnswered(recording) && recording.response_file!.endsWith('.sse'),
  (recording) => {
    const bytes = bodyOf(recording, 'response');
    const wideEnds = Buffer.from(bytes.toString().replaceAll('\n', '\r\n'));
    const cuts = [
      ...[1, 2, 3, 7].map((size) => cutEvery(bytes, size)),
      cutInsideCharacters(bytes),
      cutEvery(wideEnds, 1),
    ];
    if (isSpliced(bytes.toString())) {
      for (const chunks of cuts)
        expect(() => parseChunks(chunks)).toThrow(expect.objectContaining({ code: 'upstream_invalid' }));
      return;
    }
    const whole = parseChunks([bytes]);
    expect(whole.length).toBeGreaterThan(0);
    for (const chunks of cuts) expect(parseChunks(chunks)).toEqual(whole);
  },
);
