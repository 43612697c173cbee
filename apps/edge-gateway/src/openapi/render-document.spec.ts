import { gunzipSync } from 'node:zlib';
import { Validator } from '@seriousme/openapi-schema-validator';
import { controllers } from '../edge-gateway.module.ts';
import { listRoutes } from './route-table.ts';
import { Reference, renderDocument } from './render-document.ts';

const routes = listRoutes(controllers);
const document = renderDocument(routes);
type Paths = Record<string, Record<string, { operationId: string; responses: Record<string, unknown> }>>;
const paths = document.paths as unknown as Paths;

test('the generated document is valid OpenAPI 3.1, and the validator rejects an invalid document', async () => {
  const plain = JSON.parse(JSON.stringify(document)) as Record<string, unknown>;
  expect(await new Validator().validate(plain)).toEqual({ valid: true });
  expect(document.openapi).toBe('3.1.0');
  expect(await new Validator().validate({ ...plain, paths: { nowhere: {} } })).toMatchObject({
    valid: false,
  });
});

test.each(routes.flatMap((route) => route.paths.map((path) => [route.method, path, route] as const)))(
  'the generated document describes %s %s with its response and errors',
  (method, path, { operation }) => {
    const found = paths[path]?.[method.toLowerCase()];
    expect(Object.keys(found?.responses ?? {})).toEqual(
      expect.arrayContaining([String(operation?.answer.status), '500']),
    );
  },
);

test('the generated document names the scope that an API key needs, both for tools and for human readers', () => {
  expect(document.paths?.['/v1/account/keys']?.post).toMatchObject({
    'x-required-scope': 'manage',
    security: [{ apiKey: ['manage'] }, { session: [] }],
    description: expect.stringContaining('requires the scope `manage`') as string,
  });
  expect(document.paths?.['/v1/messages']?.post).toMatchObject({
    'x-required-scope': 'inference',
    security: [{ apiKey: ['inference'] }, { apiKeyHeader: ['inference'] }],
  });
  expect(document.paths?.['/v1/account/register']?.post).not.toHaveProperty('x-required-scope');
});

test('every schema that the document references exists', () => {
  const text = JSON.stringify(document);
  const names = [...text.matchAll(/"\$ref":"#\/components\/schemas\/([^"]+)"/g)].map(([, name]) => name);
  expect(names.length).toBeGreaterThan(10);
  expect(Object.keys(document.components?.schemas ?? {})).toEqual(
    expect.arrayContaining([...new Set(names)]),
  );
});

test('the document is a file that is rendered once, with a compressed copy', () => {
  const reference = new Reference(() => routes);
  const file = reference.file();
  expect(reference.file()).toBe(file);
  expect(JSON.parse(file.body.toString())).toEqual(JSON.parse(JSON.stringify(document)));
  const compressed = file.compressed.get('gzip');
  expect(compressed && gunzipSync(compressed)).toEqual(file.body);
  expect(file).toMatchObject({ contentType: 'application/json; charset=utf-8', isImmutable: false });
});

test('no schema appears twice under different names', () => {
  const names = Object.keys(document.components?.schemas ?? {});
  expect(names.filter((name) => names.includes(`${name}Output`))).toEqual([]);
});
