import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';

const root = join(import.meta.dirname, '../..');
const tree = join(import.meta.dirname, 'fixtures/modules');
const configuration = join(root, '.dependency-cruiser.cjs');
const { forbidden } = createRequire(import.meta.url)(configuration) as { forbidden: { name: string }[] };

interface Violation {
  readonly from: string;
  readonly to: string;
  readonly rule: { readonly name: string };
}

/** Checks a source tree with the repository's dependency rules. */
function cruise(folder: string, parts: readonly string[]): Violation[] {
  const binary = join(root, 'node_modules/dependency-cruiser/bin/dependency-cruiser.mjs');
  const args = [binary, '--config', configuration, '--output-type', 'json', ...parts];
  const { stdout, stderr } = spawnSync(process.execPath, args, {
    cwd: folder,
    encoding: 'utf8',
    maxBuffer: 64 * 1024 * 1024,
  });
  if (stdout === '') throw new Error(stderr);
  return (JSON.parse(stdout) as { summary: { violations: Violation[] } }).summary.violations;
}

describe('dependency-cruiser', () => {
  const violations = cruise(tree, ['apps', 'libs']);

  test.each(forbidden)('the rule $name reports only the file that breaks the rule', ({ name }) => {
    const files = violations.filter(({ rule }) => rule.name === name).map(({ from }) => from);
    expect(files).toHaveLength(1);
    expect(readFileSync(join(tree, files[0]!), 'utf8').split('\n')[0]).toContain(name);
  });

  test('dependency-cruiser finds no violation in the repository', () => {
    expect(cruise(root, ['apps', 'libs', 'test', 'tools'])).toEqual([]);
  });
});
