// This file runs on Node 18 and later before any packages are installed, so the file imports only built-in modules.
import { spawn } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { runStep } from './progress.mjs';

/**
 * Returns the packages in a package-lock.json file, by path. Returns null if the file is missing or
 * truncated.
 */
function readLockedPackages(file) {
  try {
    return JSON.parse(readFileSync(file, 'utf8')).packages;
  } catch {
    return null;
  }
}

/**
 * Returns true if node_modules matches package-lock.json. npm writes `node_modules/.package-lock.json` last,
 * so the function detects an interrupted or outdated installation. Optional packages for other platforms do
 * not count.
 */
export function packagesAreInstalled(root) {
  const wanted = readLockedPackages(join(root, 'package-lock.json'));
  const present = readLockedPackages(join(root, 'node_modules/.package-lock.json'));
  if (wanted === null || present === null) return false;
  return Object.entries(wanted).every(([path, entry]) => {
    if (!path.startsWith('node_modules/')) return true;
    if (entry.link) return existsSync(join(root, path));
    return present[path] ? present[path].version === entry.version : Boolean(entry.optional);
  });
}

/** Runs a child process attached to the same terminal. Returns the exit code, or null after a signal. */
function runAttached(command, args, cwd) {
  const child = spawn(command, args, { cwd, stdio: 'inherit' });
  return new Promise((settle, reject) => {
    child.once('error', (error) => reject(new Error(`npm could not be started: ${error.message}`)));
    child.once('exit', settle);
  });
}

/**
 * Installs exactly the packages in package-lock.json. Install scripts of packages are not run. Throws if npm
 * fails.
 */
export async function installPackages(root) {
  if (packagesAreInstalled(root)) return;
  // npm passes its own path to the scripts that it runs.
  // If the user started this script with `node tools/…`, the script finds npm in the PATH.
  const npm = process.env.npm_execpath;
  const flags = ['ci', '--ignore-scripts', '--no-audit', '--no-fund', '--loglevel=error'];
  const [command, ...args] = npm?.endsWith('.js') ? [process.execPath, npm, ...flags] : ['npm', ...flags];
  await runStep('Installing packages (npm ci --ignore-scripts)', async () => {
    if ((await runAttached(command, args, root)) !== 0)
      throw new Error('npm ci failed: see its messages above.');
  });
}
