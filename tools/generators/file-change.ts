import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { format, resolveConfig } from 'prettier';

/** A file to write whole. `isNew` ones must not be there yet. */
export interface FileChange {
  readonly path: string;
  readonly content: string;
  readonly isNew: boolean;
}

/** What a generator sees of the repository. */
export type ReadFile = (path: string) => string;

export const readFrom =
  (root: string): ReadFile =>
  (path) =>
    readFileSync(join(root, path), 'utf8');

/** Writes all changes, formatted, or none. @throws Error when a new file is there already. */
export async function applyChanges(root: string, changes: readonly FileChange[]): Promise<void> {
  const taken = changes.find(({ path, isNew }) => isNew && existsSync(join(root, path)));
  if (taken) throw new Error(`${taken.path} is there already`);
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
 * Inserts a line among the lines that a pattern finds, in alphabetical order; imports and exports by what they name last.
 * @throws Error when no line is like it, or it is there already: then the file is no longer what the generator knows.
 */
export function insertSorted(text: string, like: RegExp, line: string): string {
  const lines = text.split('\n');
  const places = lines.flatMap((each, index) => (like.test(each) ? [index] : []));
  const last = places.at(-1);
  if (last === undefined) throw new Error(`no line is like ${String(like)}`);
  if (lines.includes(line)) throw new Error(`there already: ${line.trim()}`);
  const before = places.find((place) => keyOf(lines[place] ?? '') > keyOf(line)) ?? last + 1;
  return lines.toSpliced(before, 0, line).join('\n');
}

function keyOf(line: string): string {
  return / from (.*)$/.exec(line)?.[1] ?? line;
}

/** Inserts text before the only place where the anchor stands. @throws Error when that is not one place. */
export function insertBefore(text: string, anchor: string, inserted: string): string {
  const parts = text.split(anchor);
  if (parts.length !== 2) throw new Error(`expected once: ${anchor}`);
  return parts.join(inserted + anchor);
}
