/** Tests that the gateway rejects an invalid request body before the whole body arrives. */
import { sharedStack } from '@gateway/testing';
import { request } from 'node:http';
import { connectProvider, createTestAccount } from './account.fixture.ts';

const stack = sharedStack();
let key: string;
beforeAll(async () => {
  key = (await createTestAccount(stack)).apiKey;
  // An address without a server, because the tests expect no provider call.
  const base_url = 'http://127.0.0.1:9/v1';
  await connectProvider(stack.baseUrl, key, { provider: 'openai', api_key: 'upstream-key', base_url });
});

/** Sends only the start of a request body, but declares a much greater length. Returns the response. */
function sendBeginning(path: string, type: string, bytes: number, beginning: string) {
  const headers = { authorization: `Bearer ${key}`, 'content-type': type, 'content-length': bytes };
  return new Promise<{ status: number; body: unknown }>((resolve, reject) => {
    const signal = AbortSignal.timeout(10_000);
    const call = request(stack.baseUrl + path, { method: 'POST', headers, agent: false, signal });
    call.once('error', reject);
    call.once('response', (response) => {
      const chunks: Buffer[] = [];
      response.on('data', (chunk: Buffer) => chunks.push(chunk));
      response.once('end', () => {
        resolve({ status: response.statusCode ?? 0, body: JSON.parse(Buffer.concat(chunks).toString()) });
        call.destroy();
      });
    });
    call.write(beginning);
  });
}

const json = 'application/json';
const multipart = 'multipart/form-data; boundary=cut';
const part = (name: string) => `--cut\r\nContent-Disposition: form-data; name="${name}"\r\n\r\n`;
const long = 'a'.repeat(2_000);

it.each([
  ['a model that is too long', '/v1/embeddings', json, 30_000_000, `{"model":"${long}`, 'invalid_field'],
  ['a model that is not text', '/v1/embeddings', json, 30_000_000, '{"model":7,"input":"', 'invalid_field'],
  ['no model', '/v1/embeddings', json, 30_000_000, '{"input":["a","b"],"n":{"model":"x"}}', 'missing_field'],
  [
    'a model that is too long, in a form',
    '/v1/audio/transcriptions',
    multipart,
    150_000_000,
    `${part('model')}${long}`,
    'invalid_field',
  ],
  [
    'no model, in a form',
    '/v1/audio/transcriptions',
    multipart,
    150_000_000,
    `${part('file')}RIFF\r\n--cut--\r\n`,
    'missing_field',
  ],
])(
  '%s: the gateway returns 400 before the body is complete',
  async (_, path, type, bytes, beginning, code) => {
    const { status, body } = await sendBeginning(path, type, bytes, beginning);
    expect(status).toBe(400);
    expect(body).toMatchObject({ error: { code, param: 'model', source: 'gateway' } });
  },
);

it('a proxied body with a declared length over the limit is rejected before it arrives', async () => {
  const { status, body } = await sendBeginning('/v1/audio/transcriptions', multipart, 300_000_000, '-');
  expect(status).toBe(413);
  expect(body).toMatchObject({ error: { code: 'request_too_large' } });
});
