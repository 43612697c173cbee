import { existsSync, globSync, readFileSync } from 'node:fs';
import { dirname, join, relative, resolve } from 'node:path';
import ts from 'typescript';

/** A TypeScript file of an app or a library, except tests, fixtures, declarations and generated code. */
export interface SourceFile {
  /** Path relative to the repository root, for example `apps/worker/src/main.ts`. */
  readonly path: string;
  /** The app or library, for example `apps/worker`. */
  readonly project: string;
  readonly text: string;
  /** Paths of the files that the file imports by relative path, including type imports. */
  readonly imports: readonly string[];
}

const notSources = /\.(spec|fixture|child)\.tsx?$|\.d\.ts$|\/generated\//;

/** Reads all source files under `apps/` and `libs/` in a repository. */
export function readSourceTree(root: string): SourceFile[] {
  return globSync('{apps,libs}/*/src/**/*.{ts,tsx}', { cwd: root })
    .filter((path) => !notSources.test(path))
    .sort()
    .map((path) => readSource(root, path));
}

function readSource(root: string, path: string): SourceFile {
  const text = readFileSync(join(root, path), 'utf8');
  const imports = ts
    .preProcessFile(text, true, true)
    .importedFiles.filter(({ fileName }) => fileName.startsWith('.'))
    .map(({ fileName }) => resolve(root, dirname(path), fileName))
    .filter((target) => existsSync(target))
    .map((target) => relative(root, target));
  return { path, project: path.split('/').slice(0, 2).join('/'), text, imports: [...new Set(imports)] };
}

/** Parses a source file for rules that inspect its statements. */
export function parseSource({ path, text }: SourceFile): ts.SourceFile {
  return ts.createSourceFile(path, text, ts.ScriptTarget.Latest, true);
}
