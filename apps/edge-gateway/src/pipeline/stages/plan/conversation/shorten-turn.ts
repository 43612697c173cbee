import { splitTurn, type MessageOutline, type SplitTurn } from '@gateway/interchange';
import { LRUCache } from 'lru-cache';
import { BatchedHash } from '../../../../bytes/batched-hash.ts';

/** Maximum length of a user turn in the request to the tool router, in characters. */
const turnCharactersMax = 1_000;
/** Minimum number of characters that are reserved for pasted text. */
const pastedCharactersMin = 200;
/**
 * Number of characters at each end of a turn. The gateway searches these characters for text that the user wrote.
 * The middle part of a long turn is not sent to the tool router.
 */
const searchedCharacters = 1_000;
/**
 * Minimum length of a partial line at the edge of the searched text. A shorter partial line is dropped, because the
 * gateway cannot recognize it as pasted text.
 */
const partialLineMin = 200;
const fence = '```';

/**
 * Shortens a long user turn. A shortened turn starts with the text that the user wrote, because this text states the
 * task. The pasted text follows in code fences, so that the router recognizes it (`splitTurn`). Both the user's text
 * and the pasted text keep their start and end.
 */
export function shortenTurn(text: string): string {
  if (text.length <= turnCharactersMax) return text;
  const { written, pasted } = splitEnds(text);
  if (pasted === '') return cutMiddle(written, turnCharactersMax);
  const own = cutMiddle(written, turnCharactersMax - pastedCharactersMin);
  const rest = turnCharactersMax - own.length - 2 * fence.length - 3;
  return [own, fence, cutMiddle(pasted, rest), fence].join('\n');
}

/**
 * Splits the start and the end of a user turn into written and pasted text. If a code fence is still open where the
 * end part starts, the end part counts as fenced.
 */
function splitEnds(text: string): SplitTurn {
  if (text.length <= 2 * searchedCharacters) return splitTurn(text);
  const endAt = text.length - searchedCharacters;
  const opened = countFences(text, endAt) % 2 === 1 ? `${fence}\n` : '';
  const [one, other] = [splitTurn(startOf(text)), splitTurn(opened + endOf(text))];
  return { written: `${one.written}\n${other.written}`, pasted: `${one.pasted}\n${other.pasted}` };
}

function startOf(text: string): string {
  const start = text.slice(0, searchedCharacters);
  const lastLine = start.lastIndexOf('\n') + 1;
  return lastLine > 0 && start.length - lastLine < partialLineMin ? start.slice(0, lastLine) : start;
}

function endOf(text: string): string {
  const end = text.slice(-searchedCharacters);
  const nextLine = end.indexOf('\n') + 1;
  return nextLine > 0 && nextLine <= partialLineMin ? end.slice(nextLine) : end;
}

/** Counts the code fences that start before a position in the turn. */
function countFences(text: string, before: number): number {
  const marker = `\n${fence}`;
  let fences = text.startsWith(fence) ? 1 : 0;
  for (let at = text.indexOf(marker); at >= 0 && at < before; at = text.indexOf(marker, at + 1)) fences += 1;
  return fences;
}

/** Keeps the start and the end of a text. */
function cutMiddle(text: string, charactersMax: number): string {
  if (text.length <= charactersMax) return text;
  const half = Math.floor((charactersMax - 1) / 2);
  return `${text.slice(0, half)}\n${text.slice(-half)}`;
}

/** Maximum memory of the cached turns in bytes. */
const keptBytesMax = 32 * 1024 * 1024;
const bytesPerEntry = 200;

/**
 * Shortens user turns, and caches the short form of long turns. Agents send the whole conversation with every
 * request, so most turns are already known. A turn is identified by the account and by the SHA-256 of its text.
 */
export class TurnShortener {
  readonly #known = new LRUCache<string, string>({
    maxSize: keptBytesMax,
    sizeCalculation: (short) => bytesPerEntry + 2 * short.length,
  });

  /**
   * Returns the result of `shortenTurn` for the text of the turn. If the result is cached, the text is not decoded.
   * @param body the bytes that the turn's ranges refer to
   */
  shorten(accountId: string, turn: Pick<MessageOutline, 'text' | 'textRanges'>, body: Buffer): string {
    const ranges = turn.textRanges();
    const bytes = ranges.reduce((sum, { start, end }) => sum + end - start, 0);
    // A UTF-8 text never has more characters than bytes.
    if (bytes <= turnCharactersMax) return turn.text();
    const name = new BatchedHash().add(`${accountId}\n`);
    for (const { start, end } of ranges) name.add(`${end - start}\n`).addBytes(body, start, end);
    const key = name.digestText('base64url');
    const known = this.#known.get(key);
    if (known !== undefined) return known;
    const short = copyText(shortenTurn(turn.text()));
    this.#known.set(key, short);
    return short;
  }
}

/** Copies a text, because a substring keeps the whole original text in memory. */
function copyText(text: string): string {
  const encoding = /[^\0-\xff]/.test(text) ? 'utf16le' : 'latin1';
  return Buffer.from(text, encoding).toString(encoding);
}
