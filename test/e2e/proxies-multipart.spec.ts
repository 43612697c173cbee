import { sharedStack, type ReplayProvider } from '@gateway/testing';
import { connectProvider, createTestAccount } from './account.fixture.ts';
import { expectError } from './errors.fixture.ts';
import { send } from './http.fixture.ts';
import { startProvider } from './provider.fixture.ts';

const { baseUrl } = sharedStack();
let provider: ReplayProvider;
let key: string;
beforeAll(async () => {
  provider = await startProvider();
  key = (await createTestAccount(sharedStack())).apiKey;
  const base_url = `${provider.url}/v1`;
  await connectProvider(baseUrl, key, { provider: 'openai', api_key: 'sk-upstream-1', base_url });
});
afterAll(() => provider.close());

it.each([
  ['buffered body', 10],
  ['streamed body', 300_000],
])(
  'a multipart body with a second model part is rejected, and the provider never receives the whole body: %s',
  async (_, length) => {
    const part = (name: string, value: string) =>
      `--parts\r\nContent-Disposition: form-data; name="${name}"\r\n\r\n${value}\r\n`;
    const model = part('model', 'openai/whisper-1');
    const body = `${model}${part('file', 'x'.repeat(length))}${part('model', 'gpt-4o-transcribe')}--parts--\r\n`;
    const headers = { 'content-type': 'multipart/form-data; boundary=parts' };
    const answer = await send(baseUrl, { path: '/v1/audio/transcriptions', key, body, headers });
    const refused = { status: 400, type: 'invalid_request_error', code: 'invalid_field', param: 'model' };
    expect(expectError(answer, refused).error.message).toContain('two parts named "model"');
    expect(provider.requests.filter(({ body }) => body.includes('gpt-4o-transcribe'))).toEqual([]);
  },
);
