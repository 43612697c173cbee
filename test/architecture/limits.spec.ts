import { lintAs } from './lint-as.ts';

const lines = (count: number, line: string): string => `${line}\n`.repeat(count);
const path = 'libs/providers/src/deliberately-bad.ts';

const cases = [
  ['max-lines', { path, code: lines(301, 'export {};') }],
  ['max-lines', { path: 'tools/bad.mjs', code: lines(301, 'export {};') }],
  ['max-lines-per-function', { path, code: `export function long(): void {\n${lines(38, '  void 0;')}}\n` }],
  [
    'max-lines-per-function',
    { path, code: `export const long = (): void => {\n${lines(38, '  // counted too')}};\n` },
  ],
  ['no-restricted-properties', { path, code: 'export const home = process.env;\n' }],
  [
    'no-restricted-imports',
    { path, code: "import { env } from 'node:process';\nexport const home = env;\n" },
  ],
  ['no-restricted-imports', { path, code: "import it from 'node:process';\nexport const home = it;\n" }],
  ['no-console', { path, code: "console.log('x');\n" }],
  ['@typescript-eslint/no-explicit-any', { path, code: 'export const it = (x: any): unknown => x;\n' }],
  ['@typescript-eslint/ban-ts-comment', { path, code: '// @ts-ignore\nexport const it = 1;\n' }],
  [
    '@typescript-eslint/consistent-type-imports',
    { path, code: "import { A } from './a.ts';\nexport type B = A;\n" },
  ],
] as const;

const allowed = [
  { path, code: lines(300, 'export {};') },
  { path, code: `export function short(): void {\n${lines(37, '  void 0;')}}\n` },
  { path: 'apps/worker/src/config.ts', code: 'export const home = process.env;\n' },
  { path: 'libs/providers/src/deliberately-bad.spec.ts', code: 'export const home = process.env;\n' },
];

describe('lint', () => {
  const found = lintAs([...cases.map(([, text]) => text), ...allowed]);

  test.each(cases.map(([rule, text], index) => [rule, text.path, index] as const))(
    'the lint rule %s reports an error in %s (case %i)',
    (rule, _path, index) => {
      expect(found[index]?.messages.map(({ ruleId }) => ruleId)).toContain(rule);
    },
  );

  test('lint accepts code exactly at the limit, and environment reads in config.ts and in tests', () => {
    expect(found.slice(cases.length).flatMap(({ messages }) => messages)).toEqual([]);
  });
});
