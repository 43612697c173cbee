/** The lines of the interface document that describe the stateless proxy endpoints. */
import { githubTools } from './github-tools.fixture.ts';
import { refused, serve, type Row } from './interface.fixture.ts';

/** A JSON endpoint that forwards the body unchanged, except for the provider name in the model. */
const proxied = (path: string, body: object, provider = 'openai'): Row => [
  `POST ${path} proxies with the stored provider key`,
  async (world) => {
    const { sent, upstream } = await serve(world, {
      path,
      body: { model: `${provider}/some-model`, ...body },
    });
    expect(sent).toEqual({ model: 'some-model', ...body });
    expect(upstream.headers.authorization).toBe('Bearer upstream-key');
  },
];
/** An endpoint that accepts a multipart form. */
const uploaded = (path: string): Row => [
  `POST ${path} proxies a multipart form`,
  async (world) => {
    const part = (name: string, value: string) =>
      `--b\r\nContent-Disposition: form-data; name="${name}"\r\n\r\n${value}\r\n`;
    const body = Buffer.from(`${part('model', 'openai/some-model')}${part('prompt', 'A cat')}--b--\r\n`);
    const headers = { 'content-type': 'multipart/form-data; boundary=b' };
    const { upstream } = await serve(world, { path, body, headers });
    expect(upstream.body.toString()).toContain('\r\n\r\nsome-model\r\n');
  },
];

/** A proxied endpoint that no connected provider offers. The gateway rejects the request during provider selection. */
const without = (path: string, body: object): Row => [
  `POST ${path} names the endpoint that a provider does not offer`,
  async (world) => {
    const text = await refused(world, path, { model: 'anthropic/some-model', ...body }, 400);
    expect(text).toContain('endpoint_not_supported');
  },
];

export const proxyRows: readonly Row[] = [
  proxied('/v1/completions', { prompt: 'Once' }),
  proxied('/v1/embeddings', { input: 'hello' }),
  proxied('/v1/responses', { input: 'hello' }),
  proxied('/v1/images/generations', { prompt: 'A cat' }),
  proxied('/v1/moderations', { input: 'hello' }),
  proxied('/v1/videos/generations', { prompt: 'A cat' }),
  uploaded('/v1/images/edits'),
  uploaded('/v1/images/variations'),
  uploaded('/v1/audio/transcriptions'),
  without('/v1/rerank', { query: 'x', documents: ['y'] }),
  without('/v1/ocr', { document: {} }),
  [
    'POST /v1/audio/speech answers with binary audio',
    async (world) => {
      const audio = Buffer.from([255, 251, 144, 0, 1, 2, 3]);
      const body = { model: 'openai/tts-1', voice: 'alloy', input: 'Hello' };
      const controls = { status: 200, body: audio, headers: { 'content-type': 'audio/mpeg' } };
      const { answer } = await serve(world, { path: '/v1/audio/speech', body }, controls);
      expect(answer.bytes.equals(audio)).toBe(true);
    },
  ],
  [
    'proxied requests are not planned',
    async (world) => {
      const body = { model: 'openai/some-model', input: 'hello', tools: githubTools };
      const { sent, headers } = await serve(world, { path: '/v1/responses', body });
      expect(sent['tools']).toEqual(githubTools);
      expect(headers).not.toHaveProperty('x-svc-routing');
    },
  ],
];
