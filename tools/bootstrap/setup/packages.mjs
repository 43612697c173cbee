// Runs on Node 18 and later before any packages are installed, so it uses only built-in modules.
import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

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
 * Returns whether node_modules matches package-lock.json. npm writes `node_modules/.package-lock.json` last,
 * so this check detects an interrupted or outdated installation. Optional packages for other platforms are
 * ignored.
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

/**
 * Installs exactly the packages in package-lock.json, without running install scripts. Throws if npm fails.
 */
export function installPackages(root) {
  if (packagesAreInstalled(root)) return;
  console.log('Installing packages (npm ci --ignore-scripts) …');
  // npm passes its own path to the scripts that it runs.
  // If this script was started directly with `node tools/…`, it searches for npm in the PATH.
  const npm = process.env.npm_execpath;
  const flags = ['ci', '--ignore-scripts', '--no-audit', '--no-fund', '--loglevel=error'];
  const result = npm?.endsWith('.js')
    ? spawnSync(process.execPath, [npm, ...flags], { cwd: root, stdio: 'inherit' })
    : spawnSync('npm', flags, { cwd: root, stdio: 'inherit' });
  if (result.error) throw new Error(`npm could not be started: ${result.error.message}`);
  if (result.status !== 0) throw new Error('npm ci failed: see its messages above.');
}
