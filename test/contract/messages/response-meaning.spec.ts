import { foldAnswer } from '@gateway/interchange';
import { formatNamed } from '@gateway/wire-formats';
import { bodyOf, checkEvery, isAnswered } from '../check-every.ts';
import { expectOrder } from '../event-order.ts';
import { responseMeaning, type Members } from './meaning.ts';

const { client, provider } = formatNamed('messages');
const defaults = { id: 'default', model: 'default', createdAt: 1 };

checkEvery(
  'plain response parsed and rendered',
  'messages',
  (recording) => isAnswered(recording) && recording.response_file!.endsWith('.json'),
  (recording) => {
    const bytes = bodyOf(recording, 'response');
    const original = JSON.parse(bytes.toString()) as Members;
    const events = provider.parseResponse(bytes);
    expectOrder(events);
    const rendered = client.renderResponse(foldAnswer(events), defaults);
    expect(responseMeaning(JSON.parse(JSON.stringify(rendered)) as Members)).toEqual(
      responseMeaning(original),
    );
    expect(events.at(-1)).toEqual({ type: 'message-end' });
  },
);
