import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

const root = join(import.meta.dirname, '../..');
const directive =
  /(eslint-(?:disable|enable)[a-z-]*|@ts-(?:expect-error|nocheck|ignore)|prettier-ignore)(.*)/;

/** Returns the files in the repository that the linter reads, by relative path. */
function ownFiles(): string[] {
  return ['apps', 'libs', 'prisma', 'test', 'tools', 'training'].flatMap((folder) =>
    readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' })
      .filter((file) => /\.([cm]?[jt]s|tsx)$/.test(file) && !/(^|\/)(generated|node_modules)\//.test(file))
      .map((file) => join(folder, file))
      .filter((file) => !file.startsWith('test/architecture/')),
  );
}

/**
 * Finds the lint suppressions in a source string, each with its line number and reason. In a comment for
 * ESLint, two hyphens precede the reason. In a comment for the type checker, a colon precedes the reason.
 */
function suppressionsIn(text: string): { line: number; what: string; reason: string | undefined }[] {
  return text.split('\n').flatMap((content, index) => {
    const match = directive.exec(content);
    if (!match) return [];
    const [, what = '', rest = ''] = match;
    const reason =
      / -- (\S.{9,})/.exec(rest)?.[1] ??
      (what.startsWith('@ts-') ? /^: (\S.{9,})/.exec(rest)?.[1] : undefined);
    return [{ line: index + 1, what: what + rest, reason }];
  });
}

describe('suppressions', () => {
  test('a suppression without a reason is detected', () => {
    const text = [
      '// eslint-disable-next-line max-lines',
      '// eslint-disable-next-line max-lines -- because',
      '// eslint-disable-next-line max-lines -- a table that is read as one',
      '/* eslint-disable */',
      '// @ts-expect-error',
      '// @ts-expect-error: the types of the package lag behind',
    ].join('\n');
    expect(suppressionsIn(text).map(({ reason }) => reason !== undefined)).toEqual([
      false,
      false,
      true,
      false,
      false,
      true,
    ]);
  });

  test('every suppression in the repository has a reason', () => {
    const silent = ownFiles().flatMap((file) =>
      suppressionsIn(readFileSync(join(root, file), 'utf8'))
        .filter(({ reason }) => reason === undefined)
        .map(({ line, what }) => `${file}:${String(line)} ${what}`),
    );
    expect(silent).toEqual([]);
  });

  test('no file disables a size limit for the whole file', () => {
    const whole = ownFiles().filter((file) =>
      /\/\*\s*eslint-disable\s+[^*]*max-lines/.test(readFileSync(join(root, file), 'utf8')),
    );
    expect(whole).toEqual([]);
  });
});
