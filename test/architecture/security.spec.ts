import { readFileSync } from 'node:fs';
import { join } from 'node:path';

const page = readFileSync(join(import.meta.dirname, '../../docs/operations/security.md'), 'utf8');
/** The table rows that state security guarantees. Only the tables of guarantees have three columns. */
const guarantees = page
  .split('\n')
  .filter((line) => /^\|[^|]+\|[^|]+\|[^|]+\|$/.test(line) && !/^\| (guarantee|-)/.test(line));

test('docs/operations/security.md names a test for each guarantee', () => {
  expect(guarantees.length).toBeGreaterThan(20);
  for (const guarantee of guarantees) expect(guarantee).toMatch(/\]\(\.\.\/[^)]+\.(spec|nightly)\.ts\)/);
});
