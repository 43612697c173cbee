import { crc32 } from 'node:zlib';

/**
 * A call's id as a provider takes it; others make theirs up in other ways. Equal ids stay equal.
 *
 * @param pattern what the provider takes as a whole id: letters, digits, `_` and `-` at least
 */
export function mapToolId(id: string, pattern: RegExp, charactersMax = Infinity): string {
  if (pattern.test(id)) return id;
  const mark = `_${crc32(id).toString(36)}`;
  return id.replaceAll(/[^\w-]/g, '_').slice(0, charactersMax - mark.length) + mark;
}
