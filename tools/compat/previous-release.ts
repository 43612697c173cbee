import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { root } from '../bootstrap/stack/root.ts';

function git(...words: string[]): string {
  return execFileSync('git', words, { cwd: root, encoding: 'utf8' }).trim();
}

/** Returns the newest version tag that does not contain this commit, or null if no such tag exists. */
export function findPreviousRelease(): string | null {
  const tags = git('tag', '--list', 'v*', '--sort=-v:refname', '--no-contains', 'HEAD');
  return tags.split('\n')[0] || null;
}

/**
 * Unpacks a commit into a separate directory, installs its packages and builds its apps. Each commit is built
 * only once. Returns the path of the directory.
 */
export function unpackRelease(reference: string): string {
  const commit = git('rev-parse', '--verify', `${reference}^{commit}`);
  const directory = join(root, '.data/compat', commit);
  if (existsSync(directory)) return directory;
  const draft = `${directory}.draft`;
  rmSync(draft, { recursive: true, force: true });
  mkdirSync(draft, { recursive: true });
  const archive = join(draft, 'commit.tar');
  execFileSync('git', ['archive', '--format=tar', `--output=${archive}`, commit], { cwd: root });
  execFileSync('tar', ['-xf', archive, '-C', draft]);
  rmSync(archive);
  for (const words of [
    ['ci', '--ignore-scripts', '--no-audit', '--no-fund'],
    ['run', 'prisma:generate'],
    ['run', 'build'],
  ])
    execFileSync('npm', words, { cwd: draft, stdio: 'inherit' });
  // The directory gets its final name only when all files are complete.
  writeFileSync(join(draft, 'commit'), `${commit}\n`);
  renameSync(draft, directory);
  return directory;
}
