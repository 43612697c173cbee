import { formatNamed } from '@gateway/wire-formats';
import { bodyOf, checkEvery } from '../check-every.ts';

const { client, provider } = formatNamed('chat-completions');

checkEvery(
  'provider error parsed and rendered',
  'chat_completions',
  (recording) => recording.status >= 400,
  (recording) => {
    const body = bodyOf(recording, 'response').toString();
    const error = provider.parseError(recording.status, body);
    expect(error.message).not.toBe('');
    expect(error.type).toMatch(/\S/);
    // The parsed message must be the provider's own error text, wherever the response body contains it.
    expect(collectTexts(JSON.parse(body))).toContain(error.message);
    const rendered = client.renderError({ ...error, status: recording.status, source: 'provider' }, 'id-1');
    expect(JSON.parse(rendered.body)).toEqual({
      error: { ...error, source: 'provider' },
      request_id: 'id-1',
    });
  },
);

function collectTexts(value: unknown): string[] {
  if (typeof value === 'string') return [value];
  return typeof value === 'object' && value !== null ? Object.values(value).flatMap(collectTexts) : [];
}
