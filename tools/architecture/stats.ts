// `npm run stats` prints source code sizes, per project and in total. The last line of the output is JSON.
// The total excludes `libs/testing`, which contains only fixtures and servers for tests.
import { resolve } from 'node:path';
import ts from 'typescript';
import { findFolderCycles } from './folder-cycles.ts';
import { findForwardingFiles } from './forwarding-files.ts';
import { parseSource, readSourceTree, type SourceFile } from './source-tree.ts';

/** The library that only tests may import. The linter applies the product's rules to it. */
const testSupport = 'libs/testing';

interface Sizes {
  readonly files: number;
  readonly lines: number;
  readonly median: number;
  readonly p95: number;
  readonly max: number;
}

function measure(sources: readonly SourceFile[]): Sizes {
  const lengths = sources.map(({ text }) => text.trimEnd().split('\n').length).sort((a, b) => a - b);
  const at = (share: number): number =>
    lengths[Math.min(lengths.length - 1, Math.floor(lengths.length * share))] ?? 0;
  const lines = lengths.reduce((sum, length) => sum + length, 0);
  return { files: lengths.length, lines, median: at(0.5), p95: at(0.95), max: at(1) };
}

/** Returns the number of lines of the longest function, including its first and last line. */
function longestFunctionLines(sources: readonly SourceFile[]): number {
  let longest = 0;
  for (const source of sources) {
    const file = parseSource(source);
    const visit = (node: ts.Node): void => {
      if (ts.isFunctionLike(node) && 'body' in node && node.body !== undefined) {
        // Decorators precede a function's name and are not included in its lines.
        const start = node.name === undefined ? node.getStart() : node.name.getStart();
        const [from, to] = [start, node.getEnd()].map(
          (position) => file.getLineAndCharacterOfPosition(position).line,
        );
        longest = Math.max(longest, (to ?? 0) - (from ?? 0) + 1);
      }
      ts.forEachChild(node, visit);
    };
    visit(file);
  }
  return longest;
}

function renderRow(name: string, { files, lines, median, p95, max }: Sizes): string {
  const cells = [files, lines, median, p95, max].map((value) => String(value).padStart(8));
  return name.padEnd(24) + cells.join('');
}

const sources = readSourceTree(resolve(import.meta.dirname, '../..'));
console.log(
  'project'.padEnd(24) + ['files', 'lines', 'median', 'p95', 'max'].map((cell) => cell.padStart(8)).join(''),
);
for (const [project, files] of Map.groupBy(sources, ({ project }) => project)) {
  console.log(renderRow(project, measure(files)));
}
const product = sources.filter(({ project }) => project !== testSupport);
console.log(renderRow('all but libs/testing', measure(product)));
console.log(
  JSON.stringify({
    ...measure(product),
    test_support_files: sources.length - product.length,
    longest_function_lines: longestFunctionLines(sources),
    folder_cycles: findFolderCycles(sources).length,
    forwarding_files: findForwardingFiles(sources).length,
  }),
);
