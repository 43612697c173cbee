import type { StaticFile } from './static-files.ts';
import { renderFile, renderPolicy } from './render-file.ts';

const page: StaticFile = {
  body: Buffer.from('the page'),
  compressed: new Map([
    ['br', Buffer.from('in brotli')],
    ['gzip', Buffer.from('in gzip')],
  ]),
  contentType: 'text/html; charset=utf-8',
  etag: '"of-the-page"',
  isImmutable: false,
};
const request = { acceptEncoding: '', ifNoneMatch: '', policy: renderPolicy(undefined) };

describe('a static file', () => {
  it.each([
    ['', undefined, 'the page'],
    ['identity', undefined, 'the page'],
    ['gzip, deflate', 'gzip', 'in gzip'],
    ['gzip, deflate, br', 'br', 'in brotli'],
    ['gzip, br;q=0', 'gzip', 'in gzip'],
    ['GZIP;q=0.5', 'gzip', 'in gzip'],
  ])('is sent with a content coding that the browser accepts: %j', (acceptEncoding, coding, body) => {
    const answer = renderFile(page, { ...request, acceptEncoding });
    expect(answer.headers['content-encoding']).toBe(coding);
    expect(answer.body.toString()).toBe(body);
  });

  it('is not sent again to a browser that has already cached the file', () => {
    const answer = renderFile(page, { ...request, ifNoneMatch: page.etag });
    expect(answer).toMatchObject({ status: 304, headers: { etag: page.etag } });
    expect(answer.body).toHaveLength(0);
  });

  it('is cached for a year if its name contains a content hash, and revalidated otherwise', () => {
    expect(renderFile(page, request).headers['cache-control']).toBe('no-cache');
    const hashed = renderFile({ ...page, isImmutable: true }, request);
    expect(hashed.headers['cache-control']).toBe('public, max-age=31536000, immutable');
  });
});

describe('the content security policy of pages', () => {
  it('forbids inline code, external resources and framing', () => {
    const policy = renderPolicy(undefined);
    expect(policy).not.toMatch(/unsafe|https?:|\*/);
    for (const directive of [
      "default-src 'none'",
      "script-src 'self'",
      "style-src 'self'",
      "frame-ancestors 'none'",
    ])
      expect(policy.split('; ')).toContain(directive);
  });

  it('allows connections only to the gateway and to the sign-in issuer', () => {
    expect(renderPolicy('https://login.example.com/realms/one').split('; ')).toContain(
      "connect-src 'self' https://login.example.com",
    );
  });
});
