import { countTokens as countO200k } from 'gpt-tokenizer/encoding/o200k_base';

/** A run of one character takes the tokenizer quadratic time: it is cut into pieces of this length. */
const runMax = 128;
const longRun = /([^])\1{127,}/gu;
/** What looks like a special token in a text is text. */
const asText = { allowedSpecial: new Set<string>(), disallowedSpecial: new Set<string>() };

/**
 * Tokens of a text in o200k. Exact but for runs of more than 128 equal characters, which are counted in pieces. Takes
 * about half a millisecond a thousand tokens: for use off a request's path.
 */
export function countTokens(text: string): number {
  let tokens = 0;
  let start = 0;
  for (const run of text.matchAll(longRun)) {
    tokens += countO200k(text.slice(start, run.index), asText) + countRun(run[0]);
    start = run.index + run[0].length;
  }
  return tokens + countO200k(start === 0 ? text : text.slice(start), asText);
}

function countRun(run: string): number {
  // A character beyond the basic plane is two units, and is not cut apart.
  const unit = (run.codePointAt(0) ?? 0) > 0xffff ? 2 : 1;
  const pieceLength = runMax * unit;
  const whole = Math.floor(run.length / pieceLength);
  const rest = run.slice(whole * pieceLength);
  return whole * countO200k(run.slice(0, pieceLength), asText) + (rest === '' ? 0 : countO200k(rest, asText));
}
