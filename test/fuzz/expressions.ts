import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import ts from 'typescript';

const root = join(import.meta.dirname, '../..');

/** A regular expression in the services' source code. */
export interface FoundExpression {
  /** The file's path in the repository, with the line number. */
  readonly place: string;
  readonly source: string;
  readonly flags: string;
}

/** A call to `RegExp` with an argument that is computed at run time. */
export interface BuiltExpression {
  /** The file path in the repository. */
  readonly path: string;
  readonly line: number;
}

export interface FoundExpressions {
  readonly literals: readonly FoundExpression[];
  readonly built: readonly BuiltExpression[];
}

/** Matches the paths of specs, fixtures of specs, and the test library, which services never run. */
const notRunTime = /\.(?:spec|fixture|child)\.tsx?$|^libs\/testing\//;

/** Returns the paths of all source files of the services. */
export function listSources(): string[] {
  return globSync(['apps/*/src/**/*.{ts,tsx}', 'libs/*/src/**/*.ts'], { cwd: root })
    .filter((path) => !notRunTime.test(path))
    .sort();
}

/** Finds all regular expressions in the source code of apps and libraries. */
export function findExpressions(paths: readonly string[] = listSources()): FoundExpressions {
  const literals: FoundExpression[] = [];
  const built: BuiltExpression[] = [];
  for (const path of paths) {
    const text = readFileSync(join(root, path), 'utf8');
    const kind = path.endsWith('.tsx') ? ts.ScriptKind.TSX : ts.ScriptKind.TS;
    const file = ts.createSourceFile(path, text, ts.ScriptTarget.Latest, true, kind);
    const visit = (node: ts.Node): void => {
      const line = file.getLineAndCharacterOfPosition(node.getStart(file)).line + 1;
      if (ts.isRegularExpressionLiteral(node))
        literals.push({ place: `${path}:${line}`, ...split(node.text) });
      if (isRegExpCall(node)) {
        const given = readGiven(node);
        if (given === undefined) built.push({ path, line });
        else literals.push({ place: `${path}:${line}`, ...given });
      }
      ts.forEachChild(node, visit);
    };
    visit(file);
  }
  return { literals, built };
}

function split(literal: string): { source: string; flags: string } {
  const end = literal.lastIndexOf('/');
  return { source: literal.slice(1, end), flags: literal.slice(end + 1) };
}

function isRegExpCall(node: ts.Node): node is ts.NewExpression | ts.CallExpression {
  return (
    (ts.isNewExpression(node) || ts.isCallExpression(node)) &&
    ts.isIdentifier(node.expression) &&
    node.expression.text === 'RegExp'
  );
}

/** Reads `RegExp('…', 'g')`. Returns undefined for arguments that are not string literals. */
function readGiven(
  node: ts.NewExpression | ts.CallExpression,
): { source: string; flags: string } | undefined {
  const [source, flags] = node.arguments ?? [];
  if (source === undefined || !ts.isStringLiteralLike(source)) return undefined;
  if (flags !== undefined && !ts.isStringLiteralLike(flags)) return undefined;
  return { source: source.text, flags: flags?.text ?? '' };
}
