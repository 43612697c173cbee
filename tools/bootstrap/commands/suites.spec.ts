import { chooseTests, listSuites, parseSuiteArguments } from './suites.ts';

test('a word selects the test files of a suite whose names contain the word, and --data is passed to the tests', () => {
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

test('a word runs a long test if the word matches only long tests, or is the whole name of the long test', () => {
  expect(chooseTests('faults', ['noisy-neighbour'])).toBe('nightly');
  expect(chooseTests('faults', ['noisy-neighbour', '-t', 'spool'])).toBe('nightly');
  expect(chooseTests('e2e', ['bound'])).toBe('both');
  expect(chooseTests('faults', ['noisy-neighbour', 'overload'])).toBe('both');
  expect(chooseTests('e2e', ['bound-models'])).toBe('daily');
  // The test `lost-nothing` also has a short version, so the word `lost-nothing` selects the short version.
  for (const args of [[], ['lost-nothing'], ['-t', 'noisy-neighbour']])
    expect({ args, tests: chooseTests('faults', args) }).toEqual({ args, tests: 'daily' });
});
