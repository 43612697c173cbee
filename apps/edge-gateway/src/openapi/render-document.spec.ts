import { createHash } from 'node:crypto';
import { Validator } from '@seriousme/openapi-schema-validator';
import { controllers } from '../edge-gateway.module.ts';
import { listRoutes, type RouteRow } from './route-table.ts';
import { renderDocument } from './render-document.ts';
import { pagePolicy, renderPage } from './reference.ts';

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

test('no schema appears twice under different names', () => {
  const names = Object.keys(document.components?.schemas ?? {});
  expect(names.filter((name) => names.includes(`${name}Output`))).toEqual([]);
});

test('the reference page shows every operation and schema, and contains no scripts or external resources', () => {
  const page = renderPage(document);
  for (const methods of Object.values(paths))
    for (const { operationId } of Object.values(methods)) expect(page).toContain(`id="${operationId}"`);
  for (const name of Object.keys(document.components?.schemas ?? {}))
    expect(page).toContain(`id="schema-${name}"`);
  const [, style = ''] = /<style>(.*?)<\/style>/s.exec(page) ?? [];
  expect(pagePolicy).toContain(createHash('sha256').update(style).digest('base64'));
  expect(page).not.toMatch(/<script|<link|<img|<iframe|\son[a-z]+=|\sstyle=|https?:\/\//i);
});

test('markup in a description is displayed as text and never interpreted as HTML', () => {
  const [route] = routes;
  const evil = { ...route, operation: { ...route?.operation, summary: '<script>alert(1)</script>"\'' } };
  const page = renderPage(renderDocument([evil as RouteRow]));
  expect(page).toContain('&lt;script&gt;alert(1)&lt;/script&gt;&quot;&#39;');
  expect(page).not.toContain('<script');
});
