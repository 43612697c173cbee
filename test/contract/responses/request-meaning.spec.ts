import { providerFormatNamed, responses, scanJson } from '@gateway/wire-formats';
import { bodyOf, checkEvery } from '../check-every.ts';
import { requestMeaning, type Members } from './meaning.ts';

checkEvery(
  'request parsed and rendered',
  'responses',
  (recording) => recording.request_file !== null,
  (recording) => {
    const bytes = bodyOf(recording, 'request');
    const original = JSON.parse(bytes.toString()) as Members;
    const request = responses.parseRequest(scanJson(bytes, { depthMax: 128 }));
    const { body, losses } = providerFormatNamed('responses').provider.renderRequest(request, {
      model: request.model,
    });
    expect(requestMeaning(JSON.parse(JSON.stringify(body)) as Members)).toEqual(requestMeaning(original));
    expect(losses).toEqual([]);
  },
);
