import { listSuites, parseSuiteArguments } from './suites.ts';

test('a word selects files in the suite, and --data is passed to the tests', () => {
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
