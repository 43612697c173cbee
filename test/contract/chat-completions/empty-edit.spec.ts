import { formatNamed, scanJson } from '@gateway/wire-formats';
import { bodyOf, checkEvery } from '../check-every.ts';

const format = formatNamed('chat-completions');

checkEvery(
  'request with an empty plan',
  'chat_completions',
  (recording) => recording.request_file !== null,
  (recording) => {
    const bytes = bodyOf(recording, 'request');
    const tape = scanJson(bytes, { depthMax: 128 });
    const outline = format.client.outlineRequest(tape);
    const edited = format.editRequest({ bytes, tape, outline });
    expect(edited.bytes).toBe(bytes);
    expect(edited.edits).toEqual([]);
  },
);
