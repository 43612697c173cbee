import { stemmer } from 'stemmer';

/**
 * Words that carry no information about tools. In a short tool list, the inverse document frequency of a
 * stop word would be misleading.
 */
const stopWords = new Set(
  (
    'a an the this that these those it its of for to from in on at by with as and or but not no nor if then than so ' +
    'is are was were be been being am do does did done has have had having can could will would shall should may might must ' +
    'i me my we us our you your he she they them their his her what which who whom whose when where why how ' +
    'there here about into over under up down out off again also just only very too please want need like'
  ).split(' '),
);

/**
 * Matches runs of text in scripts without spaces between words. Such runs are split into pairs of characters.
 */
const unspacedRun =
  /^[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}\p{Script=Lao}\p{Script=Khmer}\p{Script=Myanmar}]+$/u;
const wordPattern =
  // eslint-disable-next-line regexp/no-super-linear-move -- two or more capitals always match, so no run is read twice
  /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}\p{Script=Lao}\p{Script=Khmer}\p{Script=Myanmar}]+|\p{Lu}+(?!\p{Ll})|\p{Lu}?[\p{Ll}\p{Lm}\p{Lo}\p{M}]+|\p{N}+/gu;

/**
 * Most texts contain only ASCII characters. For ASCII texts, the word pattern is five times as fast as the
 * general pattern.
 */
const asciiText = /^[\t-~]*$/;
// eslint-disable-next-line regexp/no-super-linear-move -- two or more capitals always match, so no run is read twice
const asciiPattern = /[A-Z]+(?![a-z])|[A-Z]?[a-z]+|[0-9]+/g;
const asciiWord = /^[a-z]{3,}$/;
const wordLengthMax = 64;

/**
 * Splits text or an identifier into words, in order. The text is split at case changes, digits and
 * punctuation. Words are converted to lower case and stemmed (Porter, English), and stop words are dropped.
 * `getUserByID2` yields `get, user, id, 2`. Returns at most `tokensMax` words.
 */
export function splitTokens(text: string, tokensMax: number): string[] {
  trimWords();
  return readWords(text, tokensMax).map(({ token }) => token);
}

/**
 * A token represented as an object. A function that counts words stores the token's array index in `place`, to save
 * a lookup per token. Only one such function may run at a time, because `place` is valid only until it returns.
 */
export interface Word {
  readonly token: string;
  /** Id (from `nextCount`) of the word counter that last set `place`. */
  count: number;
  place: number;
}

/**
 * Cached tokens for a run of letters or digits. Null if the run yields no token. Tools and turns
 * repeat the same few thousand words.
 */
const knownRuns = new Map<string, Word | null>();
const knownWords = new Map<string, Word>();
const knownRunsMax = 32_000;
const knownRunLengthMax = 24;
let counts = 0;

/** Returns an unused id for an object that counts words. */
export function nextCount(): number {
  counts += 1;
  return counts;
}

/**
 * Clears the token cache if it has become too large. After the cache is cleared, calls may return different
 * objects for the same token. A caller may clear the cache before a count of words, but never during a count.
 */
export function trimWords(): void {
  if (knownRuns.size < knownRunsMax && knownWords.size < knownRunsMax) return;
  knownRuns.clear();
  knownWords.clear();
}

/**
 * Splits text like `splitTokens`, but returns shared objects. Equal tokens share one object until `trimWords`
 * clears the cache.
 */
export function readWords(text: string, tokensMax: number): Word[] {
  const words: Word[] = [];
  const isAscii = asciiText.test(text);
  const runs = isAscii ? text.match(asciiPattern) : text.normalize('NFKC').match(wordPattern);
  for (const run of runs ?? []) {
    if (words.length >= tokensMax) break;
    if (!isAscii && unspacedRun.test(run)) pushPairs(run, words);
    else pushWord(run, words);
  }
  return words.length > tokensMax ? words.slice(0, tokensMax) : words;
}

function pushWord(run: string, words: Word[]): void {
  if (run.length > wordLengthMax) return;
  let word = knownRuns.get(run);
  if (word === undefined) {
    const token = readToken(run.toLowerCase());
    word = token === null ? null : wordOf(token);
    if (run.length <= knownRunLengthMax) knownRuns.set(Buffer.from(run).toString(), word);
  }
  if (word !== null) words.push(word);
}

function wordOf(token: string): Word {
  const known = knownWords.get(token);
  if (known !== undefined) return known;
  const word = { token, count: 0, place: 0 };
  knownWords.set(token, word);
  return word;
}

function readToken(word: string): string | null {
  if (word.length > wordLengthMax || stopWords.has(word)) return null;
  return detach(asciiWord.test(word) ? stemmer(word) : word);
}

/**
 * V8 stores a substring of 13 or more characters as a view of the whole text. A copy of the substring lets
 * V8 free the memory of the whole text.
 */
function detach(word: string): string {
  return word.length < 13 ? word : Buffer.from(word).toString();
}

function pushPairs(run: string, words: Word[]): void {
  const characters = Array.from(run);
  if (characters.length === 1) words.push(wordOf(run));
  for (let at = 0; at + 1 < characters.length; at += 1) {
    words.push(wordOf(`${characters[at] ?? ''}${characters[at + 1] ?? ''}`));
  }
}
