import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { root } from '../stack/root.ts';
import { runJest } from './run-jest.ts';
import type { JestOutcome } from './run-jest.ts';

/** Whether a directory contains tests at any depth. */
function holdsTests(directory: string, pattern: RegExp): boolean {
  return readdirSync(directory, { recursive: true, encoding: 'utf8' }).some(
    (file) => pattern.test(file) && !file.includes('fixtures'),
  );
}

/**
 * The directories under test/ that contain tests of the given kind: `daily` for every run, `nightly` for long
 * tests.
 */
export function listSuites(kind: 'daily' | 'nightly'): string[] {
  const pattern = kind === 'daily' ? /\.(spec|test)\.ts$/ : /\.nightly\.ts$/;
  return readdirSync(join(root, 'test'), { withFileTypes: true })
    .filter((entry) => entry.isDirectory() && holdsTests(join(root, 'test', entry.name), pattern))
    .map(({ name }) => name)
    .sort();
}

interface SuiteArguments {
  readonly jest: readonly string[];
  readonly env: Readonly<Record<string, string>>;
}

/**
 * Extracts `--data DIR`, which the tests receive as DATA_DIR. Arguments that are not options select files in
 * the suite.
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

/** These suites share no state, so two files run in parallel. This nearly halves the duration. */
const sideBySide: ReadonlySet<string> = new Set(['browser', 'contract', 'fuzz', 'integration']);

/** Runs the tests in one directory. */
export function runSuite(
  suite: string,
  args: readonly string[] = [],
  options: { readonly isNightly?: boolean } = {},
): Promise<JestOutcome> {
  const own = join(root, 'test', suite, 'jest.config.mjs');
  const config = existsSync(own) ? own : join(root, 'test/jest.config.mjs');
  const parsed = parseSuiteArguments(suite, args);
  const isNightly = options.isNightly ?? false;
  return runJest(
    `${suite}${isNightly ? '-nightly' : ''}`,
    [
      ...['-c', config, sideBySide.has(suite) ? '--maxWorkers=2' : '--runInBand'],
      ...['--passWithNoTests', ...parsed.jest],
    ],
    { TEST_SUITE: suite, ...(isNightly ? { TEST_NIGHTLY: '1' } : {}), ...parsed.env },
  );
}
