import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

const docs = join(import.meta.dirname, '../../docs');
const page = readFileSync(join(docs, 'security.md'), 'utf8');
const links = [...page.matchAll(/\]\(([^)#]+)\)/g)].map(([, target = '']) => target);
/** The rows of the tables of promises: they have three columns. */
const promises = page
  .split('\n')
  .filter((line) => /^\|[^|]+\|[^|]+\|[^|]+\|$/.test(line) && !/^\| (promise|-)/.test(line));

describe('docs/operations/security.md', () => {
  test.each([...new Set(links)])('%s is there', (target) => {
    expect(existsSync(join(docs, target))).toBe(true);
  });

  test('names the test that shows each promise', () => {
    expect(promises.length).toBeGreaterThan(20);
    for (const promise of promises) expect(promise).toMatch(/\]\(\.\.\/[^)]+\.(spec|nightly)\.ts\)/);
  });
});
