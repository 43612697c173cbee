import { errorRegistry } from '@gateway/errors';
import { sharedStack } from '@gateway/testing';
import { send } from './http.fixture.ts';

const { baseUrl } = sharedStack();

const idsIn = (html: string): ReadonlySet<string> =>
  new Set([...html.matchAll(/ id="([^"]+)"/g)].map(([, id = '']) => id));

/** Starting at the index, reads every page that links lead to. Returns the documentation pages by path. */
async function readPages(): Promise<ReadonlyMap<string, string>> {
  const pages = new Map<string, string>();
  const open = ['/docs/index'];
  for (let path = open.pop(); path !== undefined; path = open.pop()) {
    if (pages.has(path)) continue;
    const { status, text } = await send(baseUrl, { path });
    expect([path, status]).toEqual([path, 200]);
    pages.set(path, text);
    open.push(...linksIn(text).map(([page]) => page));
  }
  return pages;
}

function linksIn(html: string): [page: string, anchor: string | undefined][] {
  return [...html.matchAll(/ (?:href|src)="(\/docs\/[^"#]+)(?:#([^"]+))?"/g)].map(
    ([, page = '', anchor]): [string, string | undefined] => [page, anchor],
  );
}

it('every error code has a heading on the page that docs_url names', async () => {
  const { status, text, headers } = await send(baseUrl, { path: '/docs/operations/failure-modes' });
  expect(status).toBe(200);
  expect(headers).toMatchObject({
    'content-type': 'text/html; charset=utf-8',
    'content-security-policy': expect.stringMatching(/^default-src 'none'; /) as string,
    'x-content-type-options': 'nosniff',
  });
  const ids = idsIn(text);
  expect(Object.keys(errorRegistry).filter((code) => !ids.has(code))).toEqual([]);
});

it('every link, image and style sheet of the documentation leads to a page, and every anchor to a heading', async () => {
  const pages = await readPages();
  expect(pages.size).toBeGreaterThan(50);
  const broken = [...pages].flatMap(([path, html]) =>
    linksIn(html)
      .filter(([page, anchor]) => anchor !== undefined && !idsIn(pages.get(page) ?? '').has(anchor))
      .map(([page, anchor]) => `${path} → ${page}#${anchor ?? ''}`),
  );
  expect(broken).toEqual([]);
  for (const html of pages.values()) expect(html).not.toMatch(/<script/i);
});

it.each(['/docs', '/docs/index', '/openapi.json', '/dashboard/', '/health/ready'])(
  'HEAD %s returns the headers of GET without a body',
  async (path) => {
    const [head, get] = [await send(baseUrl, { method: 'HEAD', path }), await send(baseUrl, { path })];
    expect([head.status, head.text]).toEqual([200, '']);
    for (const name of ['content-type', 'content-length', 'etag', 'cache-control'])
      expect([name, head.headers[name]]).toEqual([name, get.headers[name]]);
  },
);

it.each(['nowhere', '../package.json', '%2e%2e/package.json', 'index.html/', 'guides'])(
  'a path without a page is a 404 with an error body: %j',
  async (path) => {
    const answer = await send(baseUrl, { path: `/docs/${path}` });
    expect(answer.status).toBe(404);
    expect(answer.json()).toMatchObject({
      error: { code: 'not_found', docs_url: '/docs/operations/failure-modes#not_found' },
    });
  },
);
