// This file runs on Node 18 and later before any packages are installed, so the file imports only built-in modules.
import { spawn } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { constants } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { withLock } from './lock.mjs';
import { installPackages } from './packages.mjs';
import { continuedEnv } from './progress.mjs';

export const root = fileURLToPath(new URL('../../..', import.meta.url));

function wantedMajor() {
  const { engines } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
  return Number(/\d+/.exec(engines.node)[0]);
}

/**
 * Reruns the command line of this process with a different Node version. Forwards signals, and exits with the
 * exit code of the child process.
 */
function continueOn(node) {
  const child = spawn(node, process.argv.slice(1), { stdio: 'inherit', env: continuedEnv() });
  // In a terminal, Ctrl-C also reaches the child process, so this process only waits until the child process exits.
  process.on('SIGINT', () => {});
  for (const signal of ['SIGTERM', 'SIGHUP']) process.on(signal, () => child.kill(signal));
  return new Promise((settle, reject) => {
    child.once('error', reject);
    child.once('exit', (code, signal) => {
      process.exitCode = code ?? 128 + constants.signals[signal];
      settle();
    });
  });
}

/**
 * Installs missing or outdated packages, and then imports `command` on the required Node version. `command`
 * is a module path relative to tools/bootstrap. One of the packages contains the required Node version.
 */
export async function runOnRuntime(command, usage) {
  if (usage !== undefined && process.argv.slice(2).some((arg) => arg === '--help' || arg === '-h')) {
    console.log(usage);
    return;
  }
  try {
    await withLock(join(root, '.data/setup.lock'), () => installPackages(root));
    const major = wantedMajor();
    if (Number(process.versions.node.split('.')[0]) === major) {
      await import(new URL(`../${command}`, import.meta.url).href);
      return;
    }
    const node = join(root, 'node_modules/.bin/node');
    if (!existsSync(node)) {
      throw new Error(
        `There is no Node ${major} package for ${process.platform}-${process.arch}: install Node ${major} yourself and run this command with it.`,
      );
    }
    await continueOn(node);
  } catch (error) {
    console.error(error instanceof Error ? error.message : error);
    process.exitCode = 1;
  }
}
