import { execFile } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { Validator } from '@seriousme/openapi-schema-validator';
import { sharedStack } from '@gateway/testing';
import { createTestAccount } from './account.fixture.ts';
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

it('GET /openapi.json is compressed, and is not sent again if it has not changed', async () => {
  const path = '/openapi.json';
  const { headers, bytes } = await send(baseUrl, { path, headers: { 'accept-encoding': 'gzip' } });
  expect(headers).toMatchObject({ 'content-encoding': 'gzip', 'cache-control': 'no-cache' });
  expect(bytes.length).toBeLessThan(150_000);
  const again = await send(baseUrl, { path, headers: { 'if-none-match': String(headers['etag']) } });
  expect(again.status).toBe(304);
});

it('redocly lint finds no error and no warning in the served document', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'reference-'));
  const file = join(folder, 'openapi.json');
  writeFileSync(file, (await send(baseUrl, { path: '/openapi.json' })).bytes);
  const program = join(import.meta.dirname, '../../node_modules/.bin/redocly');
  // The settings stop the calls of the program to its vendor.
  const env = { ...process.env, REDOCLY_TELEMETRY: 'off', REDOCLY_SUPPRESS_UPDATE_NOTICE: 'true' };
  const args = ['lint', '--format', 'json', file];
  const { stdout } = await promisify(execFile)(program, args, { env, cwd: folder });
  rmSync(folder, { recursive: true });
  expect(JSON.parse(stdout)).toMatchObject({ totals: { errors: 0, warnings: 0 }, problems: [] });
}, 120_000);

it('a gateway with an external issuer does not document the embedded identity', async () => {
  const { paths } = await read(edgeUrl(stack, 'tight'));
  expect(Object.keys(paths).filter((path) => path.startsWith('/v1/auth/'))).toEqual([]);
});

it('GET /docs runs only the script of the reference, and may call only this gateway', async () => {
  const { status, headers, text } = await send(baseUrl, { path: '/docs' });
  expect(status).toBe(200);
  expect(headers).toMatchObject({
    'content-type': 'text/html; charset=utf-8',
    'x-content-type-options': 'nosniff',
    'referrer-policy': 'no-referrer',
  });
  const policy = String(headers['content-security-policy']).split('; ');
  expect(policy).toEqual(
    expect.arrayContaining(["default-src 'none'", "script-src 'self'", "connect-src 'self'"]),
  );
  const scripts = [...text.matchAll(/<script([^>]*)>/g)].map(([, attributes = '']) => attributes);
  expect(scripts).toEqual([
    expect.stringMatching(/^ src="\/docs\/assets\/reference-[0-9a-f]{8}\.js" defer$/),
  ]);
  const path = /src="([^"]+)"/.exec(scripts[0] ?? '')?.[1] ?? '';
  const script = await send(baseUrl, { path, headers: { 'accept-encoding': 'br' } });
  expect(script.headers).toMatchObject({
    'content-encoding': 'br',
    'content-type': 'text/javascript; charset=utf-8',
  });
  expect(script.bytes.length).toBeLessThan(300_000);
});

interface Sampled {
  readonly 'x-code-samples': readonly { readonly lang: string; readonly source: string }[];
}

const answered = /list_issues|embedding|sandbox-1/;

it.each([
  ...['/v1/chat/completions', '/v1/messages', '/v1/responses', '/v1/embeddings'].map(
    (path) => [path, answered] as const,
  ),
  // `console.log` does not print the nested call of `list_issues`.
  ['/model/{id}/converse', /list_issues|stopReason: 'tool_use'/] as const,
])('the TypeScript and curl samples of %s get an answer', async (path, answer) => {
  const { apiKey } = await createTestAccount(stack);
  const { paths } = (await read(baseUrl)) as { paths: Record<string, { post: Sampled }> };
  const samples = paths[path]!.post['x-code-samples'];
  const env = { PATH: process.env['PATH'], BASE: baseUrl, KEY: apiKey };
  const run = async (program: string, ...args: string[]) =>
    (await promisify(execFile)(program, args, { env })).stdout;
  const sourceOf = (lang: string) => samples.find((sample) => sample.lang === lang)!.source;
  const script = ['--input-type=module-typescript', '-e', sourceOf('typescript')];
  for (const output of [await run('sh', '-c', sourceOf('shell')), await run(process.execPath, ...script)])
    expect(output).toMatch(answer);
});
