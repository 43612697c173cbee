import { listSuites, parseSuiteArguments, selectsLongTests } from './suites.ts';

test('a word selects the test files of a suite whose names contain it, and --data is passed to the tests', () => {
  expect(parseSuiteArguments('e2e', ['governance', '--data', '/srv/wire', '--verbose'])).toEqual({
    jest: ['test/e2e/.*governance', '--verbose'],
    env: { DATA_DIR: '/srv/wire' },
  });
  expect(parseSuiteArguments('e2e', ['--data=/srv/wire', '-t', 'a name']).jest).toEqual(['-t', 'a name']);
});

test('directories without tests are not suites', () => {
  expect(listSuites('daily')).toEqual(expect.arrayContaining(['architecture', 'contract', 'e2e', 'faults']));
  expect(listSuites('daily')).not.toContain('bench');
});

test('a word that matches only a long test runs this long test', () => {
  expect(selectsLongTests('faults', ['noisy-neighbour'])).toBe(true);
  expect(selectsLongTests('faults', ['noisy-neighbour', '-t', 'spool'])).toBe(true);
  // The test `lost-nothing` also has a short form, so this word does not select only a long test.
  for (const args of [[], ['lost-nothing'], ['noisy-neighbour', 'overload'], ['-t', 'noisy-neighbour']])
    expect({ args, isLong: selectsLongTests('faults', args) }).toEqual({ args, isLong: false });
});
