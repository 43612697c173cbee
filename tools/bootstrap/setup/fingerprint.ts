import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { root } from '../stack/root.ts';

const notSources = new Set(['node_modules', 'dist', 'generated', 'coverage']);

function listFiles(path: string): string[] {
  if (!existsSync(path)) return [];
  if (statSync(path).isFile()) return [path];
  return readdirSync(path, { withFileTypes: true })
    .filter(({ name }) => !notSources.has(name) && !name.startsWith('.') && !name.endsWith('.spec.ts'))
    .flatMap(({ name }) => listFiles(join(path, name)));
}

/**
 * Returns a hash of the names and contents of files. For a directory, the hash covers all files except specs.
 * The hash covers file names relative to the repository root.
 */
export function fingerprint(paths: readonly string[]): string {
  const hash = createHash('sha256');
  for (const file of paths.flatMap((path) => listFiles(join(root, path))).sort()) {
    hash
      .update(`${file.slice(root.length)}\0`)
      .update(readFileSync(file))
      .update('\0');
  }
  return hash.digest('hex');
}

/** Runs `work`, unless the stamp file shows that `work` has already run for the same file fingerprint. */
export async function whenChanged(stampFile: string, mark: string, work: () => Promise<void>): Promise<void> {
  if (existsSync(stampFile) && readFileSync(stampFile, 'utf8') === mark) return;
  await work();
  mkdirSync(dirname(stampFile), { recursive: true });
  writeFileSync(stampFile, mark);
}
