import { join } from 'node:path';
import { findFolderCycles } from '../../tools/architecture/folder-cycles.ts';
import { findForwardingFiles } from '../../tools/architecture/forwarding-files.ts';
import { readSourceTree } from '../../tools/architecture/source-tree.ts';

const bad = readSourceTree(join(import.meta.dirname, 'fixtures/structure'));
const repository = readSourceTree(join(import.meta.dirname, '../..'));

describe('folder cycles', () => {
  const cycles = findFolderCycles(bad).map(({ within, members }) => [within, ...members]);

  test('sibling folders that import each other are rejected', () => {
    expect(cycles).toContainEqual(['apps/sample/src', 'apps/sample/src/high', 'apps/sample/src/low']);
  });

  test('a parent folder and a child folder that import each other are rejected', () => {
    expect(cycles).toContainEqual(['apps/sample', 'apps/sample/src/parent', 'apps/sample/src/parent/child']);
  });

  test('a reported cycle lists the imports that form it', () => {
    const [cycle] = findFolderCycles(bad);
    expect(cycle?.imports).toContain('apps/sample/src/low/a.ts → apps/sample/src/high/b.ts');
  });

  test('folder cycles do not exist in the repository', () => {
    expect(findFolderCycles(repository)).toEqual([]);
  });
});

describe('forwarding files', () => {
  test('a file that only calls or re-exports another file is rejected, unless the file is an entry point', () => {
    expect(findForwardingFiles(bad)).toEqual([
      'libs/sample/src/forwards-call.ts',
      'libs/sample/src/forwards-class.ts',
      'libs/sample/src/forwards-export.ts',
    ]);
  });

  test('forwarding files do not exist in the repository', () => {
    expect(findForwardingFiles(repository)).toEqual([]);
  });
});

test('the median, the 95th percentile and the maximum of the file lengths stay within limits', () => {
  const lengths = repository.map(({ text }) => text.trimEnd().split('\n').length).sort((a, b) => a - b);
  expect(lengths[Math.floor(lengths.length / 2)]).toBeGreaterThanOrEqual(55);
  expect(lengths[Math.floor(lengths.length * 0.95)]).toBeLessThan(250);
  expect(lengths.at(-1)).toBeLessThanOrEqual(300);
});
