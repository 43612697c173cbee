import { formatNamed, scanJson } from '@gateway/wire-formats';
import { bodyOf, checkEvery } from '../check-every.ts';
import { requestMeaning, type Members } from './meaning.ts';

const { client, provider } = formatNamed('responses');

checkEvery(
  'request parsed and rendered',
  'responses',
  (recording) => recording.request_file !== null,
  (recording) => {
    const bytes = bodyOf(recording, 'request');
    const original = JSON.parse(bytes.toString()) as Members;
    const request = client.parseRequest(scanJson(bytes, { depthMax: 128 }));
    const { body, losses } = provider.renderRequest(request, {
      model: request.model,
    });
    expect(requestMeaning(JSON.parse(JSON.stringify(body)) as Members)).toEqual(requestMeaning(original));
    expect(losses).toEqual([]);
  },
);
