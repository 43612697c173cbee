import { execFileSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const root = join(import.meta.dirname, '../..');

/** Returns the names of the bundles that contain a failpoint, and the number of all bundles. */
function search(name: string): { found: string[]; count: number } {
  const folder = join(root, 'dist', name);
  const files = readdirSync(folder, { recursive: true, encoding: 'utf8' });
  const bundles = files.filter((file) => file.endsWith('.js'));
  const hasFailpoint = (file: string): boolean =>
    /FAILPOINT|failpoint\(/.test(readFileSync(join(folder, file), 'utf8'));
  return { found: bundles.filter(hasFailpoint), count: bundles.length };
}

it('only builds with failpoints contain failpoints', () => {
  const apps = ['account', 'edge-gateway', 'worker'];
  execFileSync(process.execPath, ['tools/build/build.mjs', '--failpoints', tmpdir(), ...apps], { cwd: root });
  expect(search('apps').count).toBeGreaterThan(8);
  expect([...search('apps').found, ...search('tools').found]).toEqual([]);
  expect(search('failpoints').found.sort()).toEqual(apps.map((app) => join(app, 'main.js')));
});
