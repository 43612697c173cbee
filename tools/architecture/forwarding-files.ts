import ts from 'typescript';
import { parseSource, type SourceFile } from './source-tree.ts';

/**
 * Matches the paths of entry points, which are allowed to forward calls. An entry point is a library's public
 * interface or a file that starts a process.
 */
const entryPoints = /\/(index|main|instrument)\.tsx?$/;

/**
 * Finds files that only call or re-export another file. A forwarding file is unnecessary, because callers
 * could import the file behind it.
 * @returns the paths of the unnecessary files
 */
export function findForwardingFiles(sources: readonly SourceFile[]): string[] {
  return sources
    .filter(({ path }) => !entryPoints.test(path))
    .filter((source) => forwardsOnly(parseSource(source)))
    .map(({ path }) => path);
}

function forwardsOnly(file: ts.SourceFile): boolean {
  const imported = importedNames(file);
  const statements = file.statements.filter((statement) => !ts.isImportDeclaration(statement));
  return statements.length > 0 && statements.every((statement) => forwards(statement, imported));
}

function importedNames(file: ts.SourceFile): ReadonlySet<string> {
  const names = new Set<string>();
  for (const statement of file.statements) {
    if (!ts.isImportDeclaration(statement)) continue;
    const { name, namedBindings } = statement.importClause ?? {};
    if (name) names.add(name.text);
    if (namedBindings && ts.isNamedImports(namedBindings)) {
      for (const element of namedBindings.elements) names.add(element.name.text);
    }
  }
  return names;
}

function forwards(statement: ts.Statement, imported: ReadonlySet<string>): boolean {
  if (ts.isExportDeclaration(statement)) return statement.moduleSpecifier !== undefined;
  if (ts.isFunctionDeclaration(statement)) return onlyCallsImport(statement.body, imported);
  if (ts.isVariableStatement(statement)) {
    return statement.declarationList.declarations.every(
      ({ initializer }) =>
        initializer !== undefined &&
        ts.isArrowFunction(initializer) &&
        onlyCallsImport(initializer.body, imported),
    );
  }
  return ts.isClassDeclaration(statement) && isForwardingClass(statement, imported);
}

/** Returns true for an unnecessary class, which has a single method that only calls an imported function. */
function isForwardingClass(declaration: ts.ClassDeclaration, imported: ReadonlySet<string>): boolean {
  const methods = declaration.members.filter((member) => ts.isMethodDeclaration(member));
  const [method] = methods;
  return method !== undefined && methods.length === 1 && onlyCallsImport(method.body, imported);
}

/** Returns true if a function body only calls an imported function with unchanged arguments. */
function onlyCallsImport(body: ts.ConciseBody | undefined, imported: ReadonlySet<string>): boolean {
  const call = body && unwrap(ts.isBlock(body) ? onlyExpression(body) : body);
  return (
    call !== undefined &&
    ts.isCallExpression(call) &&
    ts.isIdentifier(call.expression) &&
    imported.has(call.expression.text) &&
    call.arguments.every((argument) => ts.isIdentifier(argument) || ts.isPropertyAccessExpression(argument))
  );
}

function onlyExpression({ statements }: ts.Block): ts.Expression | undefined {
  const [statement] = statements;
  if (statement === undefined || statements.length > 1) return undefined;
  if (ts.isReturnStatement(statement)) return statement.expression;
  return ts.isExpressionStatement(statement) ? statement.expression : undefined;
}

function unwrap(expression: ts.Expression | undefined): ts.Expression | undefined {
  let inner = expression;
  while (inner && (ts.isAwaitExpression(inner) || ts.isParenthesizedExpression(inner)))
    inner = inner.expression;
  return inner;
}
