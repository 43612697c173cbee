import { formatNamed } from '@gateway/wire-formats';
import { bodyOf, checkEvery } from '../check-every.ts';
import type { Members } from './meaning.ts';

const { client, provider } = formatNamed('messages');

checkEvery(
  'provider error parsed and rendered',
  'messages',
  (recording) => recording.status >= 400,
  (recording) => {
    const body = bodyOf(recording, 'response').toString();
    const error = provider.parseError(recording.status, body);
    const original = (JSON.parse(body) as { error: Members }).error;
    expect(error.message).toBe(original.message);
    if (original.type !== undefined) expect(error.type).toBe(original.type);
    const { status } = recording;
    const rendered = client.renderError({ ...error, status, source: 'provider' }, 'id-1');
    const parsed = JSON.parse(rendered.body) as { error: Members };
    expect(rendered.status).toBe(status);
    expect(parsed).toMatchObject({ type: 'error', request_id: 'id-1' });
    expect(parsed.error).toMatchObject({
      message: original.message,
      type: original.type ?? 'invalid_request_error',
    });
  },
);
