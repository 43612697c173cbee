import { formatNamed, scanJson } from '@gateway/wire-formats';
import { bodyOf, checkEvery } from '../check-every.ts';
import { lossesChannel } from '../losses-channel.mjs';
import { requestMeaning } from './meaning.ts';

const { client, provider } = formatNamed('chat-completions');

checkEvery(
  'request parsed and rendered',
  'chat_completions',
  (recording) => recording.request_file !== null,
  (recording) => {
    const bytes = bodyOf(recording, 'request');
    const request = client.parseRequest(scanJson(bytes, { depthMax: 128 }));
    const { body, losses } = provider.renderRequest(request, { model: request.model });
    for (const loss of losses) {
      lossesChannel.publish({ from: 'chat-completions', to: 'chat-completions', field: loss.field });
    }
    const original = JSON.parse(bytes.toString()) as Record<string, unknown>;
    expect(requestMeaning(JSON.parse(JSON.stringify(body)) as Record<string, unknown>)).toEqual(
      requestMeaning(original),
    );
    expect(losses).toEqual([]);
  },
);
