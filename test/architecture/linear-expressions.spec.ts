import { lintAs, type LintResult } from './lint-as.ts';

const linting = (expression: string, path = 'libs/wire-formats/src/deliberately-bad.ts') => ({
  path,
  code: `export const used = ${expression}.test('a');\n`,
});
const ruleIds = ({ messages }: LintResult) =>
  messages.map(({ ruleId }) => ruleId).filter((ruleId) => ruleId?.startsWith('regexp/'));

/** Regular expressions that take more than linear time for some texts. */
const slow = [
  // The expression can split one text in many ways, so a search takes exponential time.
  ['/^(?:a+)+$/', 'regexp/no-super-linear-backtracking'],
  // Two parts of the expression can match the same characters, so a search takes quadratic time.
  ['/^\\s*=?\\s*$/', 'regexp/no-super-linear-backtracking'],
  // For each slash in a sequence of slashes, the search reads all later slashes again, which takes quadratic time.
  ['/\\/+$/', 'regexp/no-super-linear-move'],
] as const;
const linear = ['/(?<!\\/)\\/+$/', '/^[a-z]+$/', '/\\bsk-[A-Za-z0-9_-]{8,}/g'];

describe('the lint rules for regular expressions', () => {
  const results = lintAs([
    ...slow.map(([expression]) => linting(expression)),
    ...linear.map((expression) => linting(expression)),
    linting(slow[0][0], 'apps/edge-gateway/src/deliberately-bad.ts'),
    linting(slow[0][0], 'tools/deliberately-bad.ts'),
  ]);

  test.each(slow.map(([expression, rule], at) => [expression, rule, at] as const))(
    'the lint rules reject the regular expression %s',
    (_expression, rule, at) => {
      expect(ruleIds(results[at]!)).toContain(rule);
    },
  );

  test('the lint rules accept regular expressions that take linear time', () => {
    for (const result of results.slice(slow.length, slow.length + linear.length))
      expect(ruleIds(result)).toEqual([]);
  });

  test('the lint rules for regular expressions apply to apps, libraries and tools', () => {
    for (const result of results.slice(-2)) expect(ruleIds(result)).not.toEqual([]);
  });
});
