import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { format, resolveConfig } from 'prettier';

/** The complete file content. If `isNew` is set, the file must not exist yet. */
export interface FileChange {
  readonly path: string;
  readonly content: string;
  readonly isNew: boolean;
}

/** Reads a repository file by its path relative to the repository root. */
export type ReadFile = (path: string) => string;

export const readFrom =
  (root: string): ReadFile =>
  (path) =>
    readFileSync(join(root, path), 'utf8');

/**
 * Formats and writes all changed files. Writes nothing if a change cannot be formatted.
 * @throws Error if a new file already exists
 */
export async function applyChanges(root: string, changes: readonly FileChange[]): Promise<void> {
  const taken = changes.find(({ path, isNew }) => isNew && existsSync(join(root, path)));
  if (taken) throw new Error(`${taken.path} exists already`);
  const written = await Promise.all(
    changes.map(async ({ path, content }) => ({
      file: join(root, path),
      text: await formatted(path, content),
    })),
  );
  for (const { file, text } of written) {
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, text);
  }
}

async function formatted(path: string, content: string): Promise<string> {
  const configuration = await resolveConfig(join(import.meta.dirname, '../..', path));
  return format(content, { ...configuration, filepath: path });
}

/**
 * Inserts a line in alphabetical order among the lines that match a pattern. Imports and exports are sorted by
 * path.
 * @throws Error if no line matches or the line already exists. In both cases, the file has an unexpected form.
 */
export function insertSorted(text: string, like: RegExp, line: string): string {
  const lines = text.split('\n');
  const places = lines.flatMap((each, index) => (like.test(each) ? [index] : []));
  const last = places.at(-1);
  if (last === undefined) throw new Error(`no line matches ${String(like)}`);
  if (lines.includes(line)) throw new Error(`the line exists already: ${line.trim()}`);
  const before = places.find((place) => keyOf(lines[place] ?? '') > keyOf(line)) ?? last + 1;
  return lines.toSpliced(before, 0, line).join('\n');
}

function keyOf(line: string): string {
  return / from (.*)$/.exec(line)?.[1] ?? line;
}

/**
 * Inserts text before the only occurrence of the anchor text.
 * @throws Error if the anchor text does not occur exactly once
 */
export function insertBefore(text: string, anchor: string, inserted: string): string {
  const parts = text.split(anchor);
  if (parts.length !== 2) throw new Error(`expected exactly once: ${anchor}`);
  return parts.join(inserted + anchor);
}
