import { redactedText } from './secret-patterns.ts';

/** Minimum length of a secret. Secrets below the minimum length are ignored, because they would match ordinary words. */
export const secretCharsMin = 8;
/**
 * Number of characters at the end of a secret that the search compares first. The search starts at the end,
 * because all keys of a provider start with the same characters.
 */
const tailChars = secretCharsMin;
/** If the start of a secret is missing, its end is redacted only if at least this number of characters match. */
const partCharsMin = 20;
/**
 * Maximum number of secrets with the same last characters that are compared. If more secrets share these last
 * characters, every occurrence of the characters is redacted.
 */
const peersMax = 16;
/**
 * Up to this number of secrets, a plain search runs before the rolling hash, because the plain search is
 * faster.
 */
const plainSearchMax = 4;
const marksSize = 1 << 12;
const base = 0x01000193;
const { imul, max, min } = Math;
/**
 * The weight of the character that leaves the window of the rolling hash. The weight is `base` to the power
 * of `tailChars`.
 */
const leaving = Array.from({ length: tailChars }).reduce<number>((power) => imul(power, base), 1);

/**
 * The secrets of one account, which are redacted in that account's log lines, spans and stored contents. One
 * account's secrets never affect the redaction of another account's texts. A search takes linear time,
 * independent of the number and the content of the secrets. The search is a single pass over the text with a
 * rolling hash and a bounded comparison at each hash match.
 */
export class SecretSet {
  readonly #valuesMax: number;
  /** Secrets with the time of their last registration, oldest first. */
  readonly #values = new Map<string, number>();
  /**
   * The written forms of the secrets, keyed by the last characters of each form. The map is built by the
   * first search after a change.
   */
  #byTail: Map<string, string[]> | null = null;
  #marks = new Uint8Array(0);

  /** @param valuesMax maximum number of secrets, above which the oldest secret is dropped */
  constructor(valuesMax = 1_024) {
    this.#valuesMax = valuesMax;
  }

  get size(): number {
    return this.#values.size;
  }

  /** The registered secrets, oldest first. The caller must not log the returned secrets. */
  list(): readonly string[] {
    return [...this.#values.keys()];
  }

  /**
   * Registers a secret. The secret is redacted in all later searches. Secrets of fewer than eight characters are ignored.
   */
  add(value: string, nowMs: number = Date.now()): void {
    if (value.length < secretCharsMin) return;
    const isKnown = this.#values.delete(value);
    if (this.#values.size >= this.#valuesMax) this.#dropOldest();
    this.#values.set(value, nowMs);
    if (!isKnown) this.#byTail = null;
  }

  /** Removes secrets that were last registered before the given time. */
  dropBefore(timeMs: number): void {
    for (const [value, addedAt] of this.#values) {
      if (addedAt >= timeMs) return;
      this.#values.delete(value);
      this.#byTail = null;
    }
  }

  /** Replaces every occurrence of a secret, in any of its written forms. */
  redact(text: string): string {
    if (this.#values.size === 0 || text.length < tailChars) return text;
    const byTail = (this.#byTail ??= this.#index());
    if (byTail.size <= plainSearchMax && !holdsAny(text, byTail.keys())) return text;
    return this.#replace(text, byTail);
  }

  #dropOldest(): void {
    for (const value of this.#values.keys()) {
      this.#values.delete(value);
      this.#byTail = null;
      return;
    }
  }

  #index(): Map<string, string[]> {
    const byTail = new Map<string, string[]>();
    this.#marks = new Uint8Array(marksSize);
    for (const form of [...this.#values.keys()].flatMap(writtenForms)) {
      const tail = form.slice(-tailChars);
      byTail.set(tail, [...(byTail.get(tail) ?? []), form]);
      this.#marks[markOf(hashOf(tail))] = 1;
    }
    return byTail;
  }

  #replace(text: string, byTail: ReadonlyMap<string, readonly string[]>): string {
    const marks = this.#marks;
    let kept = '';
    let from = 0;
    let hash = hashOf(text.slice(0, tailChars - 1));
    for (let end = tailChars; end <= text.length; end += 1) {
      const left = end > tailChars ? imul(leaving, text.charCodeAt(end - 1 - tailChars)) : 0;
      hash = (imul(hash, base) + text.charCodeAt(end - 1) - left) | 0;
      if (marks[markOf(hash)] === 0) continue;
      const forms = byTail.get(text.slice(end - tailChars, end));
      const chars = forms === undefined ? 0 : matchBefore(text, end, from, forms);
      if (chars === 0) continue;
      const start = end - chars;
      // If a match directly follows another match, a single `redactedText` replaces both matches.
      if (start > from || kept === '') kept += text.slice(from, start) + redactedText;
      from = end;
    }
    return from === 0 ? text : kept + text.slice(from);
  }
}

function holdsAny(text: string, pieces: Iterable<string>): boolean {
  for (const piece of pieces) if (text.includes(piece)) return true;
  return false;
}

function hashOf(text: string): number {
  let hash = 0;
  for (let at = 0; at < text.length; at += 1) hash = (imul(hash, base) + text.charCodeAt(at)) | 0;
  return hash;
}

/** Returns the high bits of the hash, because the low bits depend on only a few characters. */
function markOf(hash: number): number {
  return hash >>> 20;
}

/**
 * Returns how many of the characters before `end` must be redacted. These characters match a whole secret, or
 * at least the last `partCharsMin` characters of a secret. Returns 0 if no secret matches. At most
 * `partCharsMin` characters are compared to decide whether a secret matches. A match extends back at most to
 * `from`, because the text before `from` is already redacted. The total time for all comparisons is linear.
 */
function matchBefore(text: string, end: number, from: number, forms: readonly string[]): number {
  let longest = 0;
  // Text before `from` is already redacted, so a match can cover at most the text after `from`.
  // The loop stops when a match reaches from `end` back to `from`.
  for (let at = 0; at < forms.length && at < peersMax && longest < end - from; at += 1) {
    const form = forms[at] ?? '';
    const needed = min(form.length, partCharsMin);
    if (countEqual(text, end, form, tailChars, needed) < needed) continue;
    const chars = min(form.length, end - from);
    longest = max(longest, chars <= needed ? chars : countEqual(text, end, form, needed, chars));
  }
  return longest === 0 && forms.length > peersMax ? tailChars : longest;
}

/**
 * Compares the text before `end` with the end of `form`. Returns the number of equal characters, at most
 * `charsMax`. The caller has already compared the first `charsMin` characters.
 */
function countEqual(text: string, end: number, form: string, charsMin: number, charsMax: number): number {
  let chars = charsMin;
  while (chars < charsMax && text.charCodeAt(end - 1 - chars) === form.charCodeAt(form.length - 1 - chars))
    chars += 1;
  return chars;
}

/**
 * Returns the forms in which a secret may be written. The forms are the unchanged secret, the JSON escapes of
 * PHP (`\/`) and .NET (`\u002B`), and URL encoding.
 */
function writtenForms(value: string): string[] {
  return [
    ...new Set([
      value,
      value.replaceAll('/', '\\/'),
      value.replaceAll('+', '\\u002B'),
      encodeURIComponent(value.toWellFormed()),
    ]),
  ];
}
