import { foldAnswer } from '@gateway/interchange';
import { formatNamed } from '@gateway/wire-formats';
import { bodyOf, checkEvery, isAnswered } from '../check-every.ts';
import { responseMeaning } from './meaning.ts';

const { client, provider } = formatNamed('chat-completions');
const defaults = { id: 'default', model: 'default', createdAt: 1 };

checkEvery(
  'plain response parsed and rendered',
  'chat_completions',
  (recording) => isAnswered(recording) && recording.response_file!.endsWith('.json'),
  (recording) => {
    const bytes = bodyOf(recording, 'response');
    const original = JSON.parse(bytes.toString()) as Record<string, unknown>;
    if (!Array.isArray(original.choices) && original.error === undefined) {
      expect(() => provider.parseResponse(bytes)).toThrow(
        expect.objectContaining({ code: 'upstream_invalid' }),
      );
      return;
    }
    const events = provider.parseResponse(bytes);
    if (original.error !== undefined) {
      const { message } = original.error as { message: string };
      expect(events).toEqual([expect.objectContaining({ type: 'error', message })]);
      return;
    }
    const rendered = client.renderResponse(foldAnswer(events), defaults);
    const defaulted = ['id', 'model', 'created'].filter((name) => !original[name] && original[name] !== 0);
    expect(responseMeaning(JSON.parse(JSON.stringify(rendered)) as typeof original, defaulted)).toEqual(
      responseMeaning(original, defaulted),
    );
    expect(events.at(-1)).toEqual({ type: 'message-end' });
  },
);
