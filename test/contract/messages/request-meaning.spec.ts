import { formatNamed, scanJson } from '@gateway/wire-formats';
import { bodyOf, checkEvery } from '../check-every.ts';
import { lossesChannel } from '../losses-channel.mjs';
import { requestMeaning, type Members } from './meaning.ts';

const { client, provider } = formatNamed('messages');

checkEvery(
  'request parsed and rendered',
  'messages',
  (recording) => recording.request_file !== null,
  (recording) => {
    const bytes = bodyOf(recording, 'request');
    const request = client.parseRequest(scanJson(bytes, { depthMax: 128 }));
    const model = request.model || 'in-the-address';
    const { body, losses } = provider.renderRequest(request, { model });
    for (const loss of losses) {
      lossesChannel.publish({ from: 'messages', to: 'messages', field: loss.field });
    }
    const original = JSON.parse(bytes.toString()) as Members;
    const rendered = JSON.parse(JSON.stringify(body)) as Members;
    expect(requestMeaning(rendered)).toEqual(requestMeaning({ ...original, model }));
    expect(losses).toEqual([]);
  },
);
