import { formatNamed, scanJson } from '@gateway/wire-formats';
import { bodyOf, checkEvery } from '../check-every.ts';
import { lossesChannel } from '../losses-channel.mjs';
import { apis, client, provider, routeOf } from './exchange.ts';
import { requestMeaning, type Members } from './meaning.ts';

for (const api of apis) {
  checkEvery(
    'request with an empty plan',
    api,
    (recording) => recording.request_file !== null,
    (recording) => {
      const bytes = bodyOf(recording, 'request');
      const tape = scanJson(bytes, { depthMax: 128 });
      const outline = client.outlineRequest(tape, routeOf(recording));
      const edited = formatNamed('converse').editRequest({ bytes, tape, outline });
      expect(edited.bytes).toBe(bytes);
      expect(edited.edits).toEqual([]);
    },
  );

  checkEvery(
    'request parsed and rendered',
    api,
    (recording) => recording.request_file !== null,
    (recording) => {
      const bytes = bodyOf(recording, 'request');
      const route = routeOf(recording);
      const request = client.parseRequest(scanJson(bytes, { depthMax: 128 }), route);
      const { body, losses } = provider.renderRequest(request, { model: route.model });
      for (const { field } of losses) lossesChannel.publish({ from: 'converse', to: 'converse', field });
      expect(requestMeaning(JSON.parse(JSON.stringify(body)) as Members)).toEqual(
        requestMeaning(JSON.parse(bytes.toString()) as Members),
      );
      expect(losses).toEqual([]);
    },
  );
}
