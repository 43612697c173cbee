import { gemini, providerFormatNamed, scanJson } from '@gateway/wire-formats';
import { bodyOf, checkEvery } from '../check-every.ts';
import { lossesChannel } from '../losses-channel.mjs';
import { requestMeaning, type Members } from './meaning.ts';

checkEvery(
  'request parsed and rendered',
  'gemini',
  (recording) => recording.request_file !== null,
  (recording) => {
    const bytes = bodyOf(recording, 'request');
    const route = { model: recording.model ?? '', stream: recording.streaming };
    const request = gemini.parseRequest(scanJson(bytes, { depthMax: 128 }), route);
    const { body, losses } = providerFormatNamed('gemini').provider.renderRequest(request, {
      model: request.model,
    });
    for (const { field } of losses) lossesChannel.publish({ from: 'gemini', to: 'gemini', field });
    expect(requestMeaning(JSON.parse(JSON.stringify(body)) as Members)).toEqual(
      requestMeaning(JSON.parse(bytes.toString()) as Members),
    );
    expect(losses).toEqual([]);
  },
);
