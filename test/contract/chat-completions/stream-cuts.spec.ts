import type { StreamEvent } from '@gateway/interchange';
import { formatNamed } from '@gateway/wire-formats';
import { bodyOf, checkEvery, isAnswered } from '../check-every.ts';
import { cutEvery, cutInsideCharacters } from '../cut-bytes.ts';

const { provider } = formatNamed('chat-completions');

function parseChunks(chunks: readonly Buffer[]): StreamEvent[] {
  const parser = provider.openStreamParser();
  return [...chunks.flatMap((chunk) => parser.push(chunk)), ...parser.end()];
}

checkEvery(
  'stream parsed in small chunks',
  'chat_completions',
  (recording) => isAnswered(recording) && recording.response_file!.endsWith('.sse'),
  (recording) => {
    const bytes = bodyOf(recording, 'response');
    const whole = parseChunks([bytes]);
    expect(whole.length).toBeGreaterThan(0);
    for (const size of [1, 2, 3, 7]) expect(parseChunks(cutEvery(bytes, size))).toEqual(whole);
    expect(parseChunks(cutInsideCharacters(bytes))).toEqual(whole);
    const wideEnds = Buffer.from(bytes.toString().replaceAll('\n', '\r\n'));
    expect(parseChunks(cutEvery(wideEnds, 1))).toEqual(whole);
  },
);
