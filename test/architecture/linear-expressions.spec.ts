import { lintAs, type LintResult } from './lint-as.ts';

const linting = (expression: string, path = 'libs/wire-formats/src/deliberately-bad.ts') => ({
  path,
  code: `export const used = ${expression}.test('a');\n`,
});
const ruleIds = ({ messages }: LintResult) =>
  messages.map(({ ruleId }) => ruleId).filter((ruleId) => ruleId?.startsWith('regexp/'));

/** Regular expressions that take more than linear time for some texts. */
const slow = [
  // Exponential time: the expression can split one text in many ways.
  ['/^(?:a+)+$/', 'regexp/no-super-linear-backtracking'],
  // Quadratic time: two parts of the expression can match the same characters.
  ['/^\\s*=?\\s*$/', 'regexp/no-super-linear-backtracking'],
  // Quadratic time: from each position in a run of characters, the search reads the rest of the run again.
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
