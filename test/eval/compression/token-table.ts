import { countTokens } from '../../../apps/compressor/src/text/count-tokens.ts';

/** The approximate number of tokens that each message adds in any chat format. */
export const messageTokens = 4;

const counts = new Map<string, number>();

/** Counts the o200k tokens in a text. Caches each text's token count. */
export function tokensOf(text: string): number {
  const known = counts.get(text);
  if (known !== undefined) return known;
  const tokens = countTokens(text);
  counts.set(text, tokens);
  return tokens;
}
