import { existsSync, readdirSync } from 'node:fs';
import { basename, join } from 'node:path';
import { root } from '../stack/root.ts';
import { runJest } from './run-jest.ts';
import type { Background, JestOutcome } from './run-jest.ts';

const [daily, nightly] = [/\.(spec|test)\.ts$/, /\.nightly\.ts$/];

/** Returns the tests in a directory, at any depth. */
function listTests(directory: string, pattern: RegExp): string[] {
  return readdirSync(directory, { recursive: true, encoding: 'utf8' }).filter(
    (file) => pattern.test(file) && !file.includes('fixtures'),
  );
}

/**
 * The directories under test/ that contain tests of the given kind. Tests of the kind `daily` run every time,
 * and tests of the kind `nightly` take a long time.
 */
export function listSuites(kind: 'daily' | 'nightly'): string[] {
  const pattern = kind === 'daily' ? daily : nightly;
  return readdirSync(join(root, 'test'), { withFileTypes: true })
    .filter((entry) => entry.isDirectory() && listTests(join(root, 'test', entry.name), pattern).length > 0)
    .map(({ name }) => name)
    .sort();
}

interface SuiteArguments {
  readonly jest: readonly string[];
  readonly env: Readonly<Record<string, string>>;
}

/**
 * Extracts `--data DIR` from the command line. The tests get the directory DIR as DATA_DIR. Arguments that
 * are not options select the suite's test files.
 */
export function parseSuiteArguments(suite: string, args: readonly string[]): SuiteArguments {
  const jest: string[] = [];
  const env: Record<string, string> = {};
  for (let index = 0; index < args.length; index++) {
    const arg = args[index] ?? '';
    if (arg === '--data') env['DATA_DIR'] = args[++index] ?? '';
    else if (arg.startsWith('--data=')) env['DATA_DIR'] = arg.slice('--data='.length);
    else if (arg === '-t' || arg === '--testNamePattern') jest.push(arg, args[++index] ?? '');
    else jest.push(arg.startsWith('-') ? arg : `test/${suite}/.*${arg}`);
  }
  return { jest, env };
}

/** The kinds of tests in a run, which are the daily tests, the long tests, or both. */
type TestKind = 'daily' | 'nightly' | 'both';

/**
 * Returns the kinds of tests to run. A filter word that matches no daily test selects long tests, such as
 * `noisy-neighbour` in `faults`. The full name of a long test, such as `bound` in `e2e`, selects both kinds
 * of tests. If a daily test has the same name as the long test, only daily tests run.
 */
export function chooseTests(suite: string, args: readonly string[]): TestKind {
  const prefix = `test/${suite}/`;
  const patterns = parseSuiteArguments(suite, args).jest.filter((arg) => arg.startsWith(prefix));
  const directory = join(root, 'test', suite);
  const select = (kind: RegExp): string[] =>
    listTests(directory, kind).filter((file) =>
      patterns.some((each) => new RegExp(each).test(prefix + file)),
    );
  const [short, long] = [select(daily), select(nightly)];
  if (short.length === 0) return long.length > 0 ? 'nightly' : 'daily';
  const nameOf = (file: string): string => basename(file).replace(/\.\w+\.ts$/, '');
  const names = new Set(short.map(nameOf));
  return long.map(nameOf).some((name) => args.includes(name) && !names.has(name)) ? 'both' : 'daily';
}

/**
 * Suites with test files that share no state, so that two test files run in parallel. Parallel runs nearly
 * halve the duration of the suites.
 */
const sideBySide: ReadonlySet<string> = new Set(['browser', 'contract', 'faults', 'fuzz', 'integration']);

/** The long tests of `faults` measure response times, so they must run one after another. */
function runsSideBySide(suite: string, tests: TestKind): boolean {
  return sideBySide.has(suite) && (suite !== 'faults' || tests === 'daily');
}

/** Jest's options for one worker process, which Jest restarts when the memory of the process exceeds the limit. */
const oneWorker = ['--maxWorkers=1', '--workerIdleMemoryLimit=512MB'];

interface SuiteOptions {
  readonly isNightly?: boolean;
  readonly background?: Background | undefined;
  /** Whether the tests use only one processor core, even if the suite allows two worker processes. */
  readonly usesOneCore?: boolean;
}

/** Runs the tests in one directory. */
export function runSuite(
  suite: string,
  args: readonly string[] = [],
  options: SuiteOptions = {},
): Promise<JestOutcome> {
  const own = join(root, 'test', suite, 'jest.config.mjs');
  const config = existsSync(own) ? own : join(root, 'test/jest.config.mjs');
  const parsed = parseSuiteArguments(suite, args);
  const tests = options.isNightly === true ? 'nightly' : chooseTests(suite, args);
  // In one process, Jest would wait for connections that a test left open, although the servers have stopped.
  const workers = runsSideBySide(suite, tests) ? ['--maxWorkers=2'] : ['--runInBand', '--forceExit'];
  return runJest(
    `${suite}${tests === 'daily' ? '' : '-nightly'}`,
    [
      '-c',
      config,
      ...(options.usesOneCore === true ? oneWorker : workers),
      '--passWithNoTests',
      ...parsed.jest,
    ],
    { TEST_SUITE: suite, TEST_KIND: tests, ...parsed.env },
    options.background,
  );
}
