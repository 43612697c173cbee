import { spawn, type ChildProcess } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, rmSync } from 'node:fs';
import { constants } from 'node:os';
import { delimiter, join } from 'node:path';
import { z } from 'zod';
import { root } from '../stack/root.ts';

/** Directories for server programs and tools that may be missing from the user's PATH. */
const alsoOnPath = ['/usr/local/sbin', '/usr/sbin', '/opt/homebrew/bin', '/usr/local/bin'];

/**
 * The environment variables that every step receives. The PATH starts with the running Node version and the
 * repository's tools.
 */
export function stepEnv(extra: Readonly<Record<string, string>> = {}): NodeJS.ProcessEnv {
  const path = [join(root, 'node_modules/.bin'), process.env['PATH'] ?? '', ...alsoOnPath];
  return { ...process.env, PATH: path.join(delimiter), ...extra };
}

/** Options of a command in the background, which does not use the terminal. */
export interface Background {
  /** Receives the output in pieces. */
  readonly keep: (output: Buffer) => void;
}

function launch(
  command: string,
  args: readonly string[],
  env: NodeJS.ProcessEnv,
  background: Background | undefined,
): ChildProcess {
  if (!background) return spawn(command, args, { cwd: root, env, stdio: 'inherit' });
  const child = spawn(command, args, {
    cwd: root,
    // A terminal shows the kept output later.
    env: process.stdout.isTTY ? { ...env, FORCE_COLOR: '1' } : env,
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  child.stdout.on('data', background.keep);
  child.stderr.on('data', background.keep);
  return child;
}

/**
 * Runs a command in the repository root. Returns the command's exit code. The command uses the terminal, unless
 * it runs in the background.
 */
export function runCommand(
  command: string,
  args: readonly string[],
  env: NodeJS.ProcessEnv = stepEnv(),
  background?: Background,
): Promise<number> {
  const child = launch(command, args, env, background);
  // In a terminal, Ctrl-C reaches the child process directly, and the child process then cleans up.
  // This process forwards the signals that only this process receives.
  const forward = () => child.kill('SIGTERM');
  const ignore = () => {};
  process.on('SIGTERM', forward).on('SIGINT', ignore);
  return new Promise((settle, reject) => {
    child.once('error', reject);
    // The event `close` follows the last piece of output.
    child.once('close', (code, signal) => {
      process.off('SIGTERM', forward).off('SIGINT', ignore);
      settle(code ?? 128 + (signal ? constants.signals[signal] : 0));
    });
  });
}

const jestResults = z.object({
  numPassedTests: z.number(),
  numFailedTests: z.number(),
  /** Number of test files that could not run. */
  numRuntimeErrorTestSuites: z.number(),
});

export interface JestOutcome {
  readonly exitCode: number;
  readonly passed: number;
  readonly failed: number;
}

/** The file to which Jest writes the numbers of passed and failed tests. */
function resultsFile(name: string): string {
  const directory = join(root, '.data/test-results');
  mkdirSync(directory, { recursive: true });
  return join(directory, `${name}.json`);
}

/** Runs Jest and counts the results. A test file that could not run counts as one failure. */
export async function runJest(
  name: string,
  args: readonly string[],
  env: Readonly<Record<string, string>> = {},
  background?: Background,
): Promise<JestOutcome> {
  const results = resultsFile(name.replaceAll('/', '-'));
  rmSync(results, { force: true });
  const exitCode = await runCommand(
    process.execPath,
    [
      '--experimental-vm-modules',
      '--disable-warning=ExperimentalWarning',
      join(root, 'node_modules/jest/bin/jest.js'),
      '--json',
      `--outputFile=${results}`,
      ...args,
    ],
    stepEnv(env),
    background,
  );
  if (!existsSync(results)) return { exitCode: exitCode || 1, passed: 0, failed: 1 };
  const counted = jestResults.parse(JSON.parse(readFileSync(results, 'utf8')));
  return {
    exitCode,
    passed: counted.numPassedTests,
    failed: counted.numFailedTests + counted.numRuntimeErrorTestSuites,
  };
}
