import type { EncoderManifest } from './encoder-manifest.ts';

const wordPattern = /\p{L}+|\p{N}+/gu;

/** Token ids of a text: the hashes of its words' character grams, with `<` and `>` at the ends of a word. Never empty. */
export function tokenizeCharacterGrams(
  text: string,
  { buckets, gramLengths, tokensMax }: Pick<EncoderManifest, 'buckets' | 'gramLengths' | 'tokensMax'>,
): number[] {
  const ids: number[] = [];
  const spaced = text.replace(/(\p{Ll})(\p{Lu})/gu, '$1 $2').toLowerCase();
  for (const [word] of spaced.matchAll(wordPattern)) {
    const marked = `<${word}>`;
    for (const length of gramLengths) {
      for (let at = 0; at + length <= marked.length && ids.length < tokensMax; at += 1) {
        ids.push(hashGram(marked, at, at + length) % buckets);
      }
    }
    if (ids.length >= tokensMax) break;
  }
  return ids.length === 0 ? [0] : ids;
}

/** FNV-1a, 32 bits, over UTF-16 units. */
function hashGram(text: string, start: number, end: number): number {
  let hash = 0x811c9dc5;
  for (let at = start; at < end; at += 1) hash = Math.imul(hash ^ text.charCodeAt(at), 0x01000193);
  return hash >>> 0;
}
