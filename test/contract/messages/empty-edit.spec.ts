import { formatNamed, scanJson } from '@gateway/wire-formats';
import { bodyOf, checkEvery } from '../check-every.ts';

const format = formatNamed('messages');

checkEvery(
  'request with an empty plan',
  'messages',
  (recording) => recording.request_file !== null,
  (recording) => {
    const bytes = bodyOf(recording, 'request');
    const tape = scanJson(bytes, { depthMax: 128 });
    // Vertex requests have the model in the URL path. A gateway client sends the model name in the body.
    if (tape.get(tape.root, 'model') === undefined) {
      expect(() => format.client.outlineRequest(tape)).toThrow(
        expect.objectContaining({ code: 'missing_field', param: 'model' }),
      );
      return;
    }
    const outline = format.client.outlineRequest(tape);
    const edited = format.editRequest({ bytes, tape, outline });
    expect(edited.bytes).toBe(bytes);
    expect(edited.edits).toEqual([]);
  },
);
