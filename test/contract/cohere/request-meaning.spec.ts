import { cohere, providerFormatNamed, scanJson } from '@gateway/wire-formats';
import { bodyOf, checkEvery } from '../check-every.ts';
import { lossesChannel } from '../losses-channel.mjs';
import { isVersionOne, requestMeaning, type Members } from './meaning.ts';

checkEvery(
  'request parsed and rendered',
  'cohere_chat',
  (recording) => recording.request_file !== null,
  (recording) => {
    const bytes = bodyOf(recording, 'request');
    const original = JSON.parse(bytes.toString()) as Members;
    const tape = scanJson(bytes, { depthMax: 128 });
    if (isVersionOne(original)) {
      lossesChannel.publish({ from: 'cohere_chat', to: 'cohere', field: 'a request of version 1' });
      expect(() => cohere.parseRequest(tape)).toThrow(expect.objectContaining({ code: 'missing_field' }));
      return;
    }
    const request = cohere.parseRequest(tape);
    const { body, losses } = providerFormatNamed('cohere').provider.renderRequest(request, {
      model: request.model,
    });
    for (const { field } of losses) lossesChannel.publish({ from: 'cohere_chat', to: 'cohere', field });
    expect(requestMeaning(JSON.parse(JSON.stringify(body)) as Members)).toEqual(requestMeaning(original));
    expect(losses).toEqual([]);
  },
);
