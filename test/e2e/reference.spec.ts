import { Validator } from '@seriousme/openapi-schema-validator';
import { sharedStack } from '@gateway/testing';
import { edgeUrl } from './edges.fixture.ts';
import { send } from './http.fixture.ts';

const stack = sharedStack();
const { baseUrl } = stack;

interface Document {
  readonly openapi: string;
  readonly paths: Readonly<Record<string, object>>;
}

const read = async (at: string) => (await send(at, { path: '/openapi.json' })).json() as Document;

it('GET /openapi.json returns valid OpenAPI 3.1 without a key, covering all paths in the interface', async () => {
  const document = await read(baseUrl);
  expect(document.openapi).toBe('3.1.0');
  expect(await new Validator().validate({ ...document })).toEqual({ valid: true });
  expect(Object.keys(document.paths)).toEqual(
    expect.arrayContaining([
      '/v1/chat/completions',
      '/v1/messages',
      '/model/{id}/converse',
      '/v1/account/keys/{key_id}/toollist',
      '/v1/keys/{key_id}',
      '/v1/requests',
      '/v1/account/providers/{provider}',
    ]),
  );
});

it('a gateway with an external issuer does not document the embedded identity', async () => {
  const { paths } = await read(edgeUrl(stack, 'tight'));
  expect(Object.keys(paths).filter((path) => path.startsWith('/v1/auth/'))).toEqual([]);
});

it('GET /docs returns a page that may not load or execute anything', async () => {
  const { status, headers, text } = await send(baseUrl, { path: '/docs' });
  expect(status).toBe(200);
  expect(headers).toMatchObject({
    'content-type': 'text/html; charset=utf-8',
    'content-security-policy': expect.stringMatching(
      /^default-src 'none'; style-src 'sha256-[^']+';/,
    ) as string,
    'x-content-type-options': 'nosniff',
    'referrer-policy': 'no-referrer',
  });
  expect(text).toContain('/v1/chat/completions');
  expect(text).not.toMatch(/<script/i);
});
