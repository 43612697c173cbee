// Runs on any Node from 18 on, with nothing installed: builtins only.
import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

/** Packages of a lock file by their path, or null when there is no such file or it is cut off. */
function readLockedPackages(file) {
  try {
    return JSON.parse(readFileSync(file, 'utf8')).packages;
  } catch {
    return null;
  }
}

/**
 * Whether node_modules holds what package-lock.json asks for. npm writes `node_modules/.package-lock.json` last, so an
 * install that was cut off, and one made for an older lock file, both show. Optional packages are for other machines.
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

/** Installs exactly what the lock file names, without running any package's install script. Throws when npm fails. */
export function installPackages(root) {
  if (packagesAreInstalled(root)) return;
  console.log('Installing packages (npm ci --ignore-scripts) …');
  // npm says where it is to the scripts that it runs; without it (plain `node tools/…`) it is looked for on the PATH.
  const npm = process.env.npm_execpath;
  const flags = ['ci', '--ignore-scripts', '--no-audit', '--no-fund', '--loglevel=error'];
  const result = npm?.endsWith('.js')
    ? spawnSync(process.execPath, [npm, ...flags], { cwd: root, stdio: 'inherit' })
    : spawnSync('npm', flags, { cwd: root, stdio: 'inherit' });
  if (result.error) throw new Error(`npm could not be started: ${result.error.message}`);
  if (result.status !== 0) throw new Error('npm ci failed: see its messages above.');
}
