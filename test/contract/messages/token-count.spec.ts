import { formatNamed, parseTokenCount, renderTokenCount, scanJson } from '@gateway/wire-formats';
import { bodyOf, checkEvery, isAnswered } from '../check-every.ts';

const { client } = formatNamed('messages');

checkEvery(
  'token count parsed and rendered',
  'count_tokens',
  (recording) => isAnswered(recording) && recording.provider === 'anthropic',
  (recording) => {
    const bytes = bodyOf(recording, 'response');
    expect(renderTokenCount(parseTokenCount(bytes))).toEqual(JSON.parse(bytes.toString()));
    const outline = client.outlineRequest(scanJson(bodyOf(recording, 'request'), { depthMax: 128 }));
    expect(outline).toMatchObject({ format: 'messages', stream: false });
  },
);
