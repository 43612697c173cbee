/**
 * Installs the pinned packages in `packages` from the npm registry. The packages have several hundred megabytes,
 * so all checkouts of a user share one folder.
 */
import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { cpSync, existsSync, mkdirSync, readFileSync, renameSync, rmSync } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';

const run = promisify(execFile);
const files = ['package.json', 'package-lock.json'];

/** Packages that require their install script, and the path of each script. */
const scripts: Readonly<Record<string, string>> = { opencode: 'node_modules/opencode-ai/postinstall.mjs' };

/**
 * Installs a package, unless an earlier call installed the same versions.
 * @param name the name of a folder in `packages`.
 * @returns the folder that contains `node_modules`
 */
export async function installPackage(name: string): Promise<string> {
  const pinned = join(import.meta.dirname, 'packages', name);
  const versions = createHash('sha256');
  for (const file of files) versions.update(readFileSync(join(pinned, file)));
  const cache = process.env['XDG_CACHE_HOME'] || join(homedir(), '.cache');
  const folder = join(cache, 'agent-gateway/agents', `${name}-${versions.digest('hex').slice(0, 16)}`);
  if (existsSync(folder)) return folder;
  const unfinished = `${folder}.${process.pid}`;
  mkdirSync(unfinished, { recursive: true });
  for (const file of files) cpSync(join(pinned, file), join(unfinished, file));
  // `npm ci` fails if a registry lacks an optional package for a different operating system.
  const options = ['--ignore-scripts', '--no-audit', '--no-fund', '--omit-lockfile-registry-resolved'];
  await run('npm', ['install', ...options], { cwd: unfinished });
  const script = scripts[name];
  if (script !== undefined) await run(process.execPath, [join(unfinished, script)], { cwd: unfinished });
  try {
    renameSync(unfinished, folder);
  } catch (error) {
    // Another checkout may have installed the same versions in the meantime.
    rmSync(unfinished, { recursive: true, force: true });
    if (!existsSync(folder)) throw error;
  }
  return folder;
}
