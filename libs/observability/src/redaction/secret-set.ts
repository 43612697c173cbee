import { redactedText } from './secret-patterns.ts';

/** Shorter values are ignored, because they would match ordinary words. */
export const secretCharsMin = 8;
/**
 * Number of characters at the end of a value that are searched for. The end is used because all keys from a
 * provider start alike.
 */
const tailChars = secretCharsMin;
/** A text that ends like a value is redacted from here on, even if the start of the value is missing. */
const partCharsMin = 20;
/** Values that end alike and are compared. Where more end alike, their common end is always redacted. */
const peersMax = 16;
/** Up to this many values are first searched for one by one, which the engine does faster than this code. */
const plainSearchMax = 4;
const marksSize = 1 << 12;
const base = 0x01000193;
const { imul, max, min } = Math;
/** `base` to the power of `tailChars`: the weight of the character that leaves the window. */
const leaving = Array.from({ length: tailChars }).reduce<number>((power) => imul(power, base), 1);

/**
 * The secrets of one account, redacted in that account's own log lines, spans and stored contents. A set never
 * applies to another account.
 *
 * A search takes linear time, independent of the number of values and of what they contain: one pass over the
 * text with a rolling hash, and a bounded comparison where the hash matches.
 */
export class SecretSet {
  readonly #valuesMax: number;
  /** Values with the time of their last registration, oldest first. */
  readonly #values = new Map<string, number>();
  /** The written forms of the values, by their last characters. Built at the first search after a change. */
  #byTail: Map<string, string[]> | null = null;
  #marks = new Uint8Array(0);

  /** @param valuesMax the oldest value is dropped beyond this number. */
  constructor(valuesMax = 1_024) {
    this.#valuesMax = valuesMax;
  }

  get size(): number {
    return this.#values.size;
  }

  /** The values, oldest first. Secret. */
  list(): readonly string[] {
    return [...this.#values.keys()];
  }

  /** Registers a value to redact from now on. Values of fewer than eight characters are ignored. */
  add(value: string, nowMs: number = Date.now()): void {
    if (value.length < secretCharsMin) return;
    const isKnown = this.#values.delete(value);
    if (this.#values.size >= this.#valuesMax) this.#dropOldest();
    this.#values.set(value, nowMs);
    if (!isKnown) this.#byTail = null;
  }

  /** Removes values that were last registered before this time. */
  dropBefore(timeMs: number): void {
    for (const [value, addedAt] of this.#values) {
      if (addedAt >= timeMs) return;
      this.#values.delete(value);
      this.#byTail = null;
    }
  }

  /** Replaces every occurrence of a value, in any of its written forms. */
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
      // A match that directly follows a replaced one only extends it.
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

/** The low bits of the hash depend on few characters, so the high ones are used. */
function markOf(hash: number): number {
  return hash >>> 20;
}

/**
 * The number of characters before `end` to redact: the longest match of a value, or of its end if that has at
 * least `partCharsMin` characters. 0 if neither matches. Up to `partCharsMin` characters decide. The match then
 * extends to `from` at most, where the text before is already replaced, so all comparisons together take linear
 * time.
 */
function matchBefore(text: string, end: number, from: number, forms: readonly string[]): number {
  let longest = 0;
  // Directly after a replaced match, no form can match more than the rest of the text, so the search ends there.
  for (let at = 0; at < forms.length && at < peersMax && longest < end - from; at += 1) {
    const form = forms[at] ?? '';
    const needed = min(form.length, partCharsMin);
    if (countEqual(text, end, form, tailChars, needed) < needed) continue;
    const chars = min(form.length, end - from);
    longest = max(longest, chars <= needed ? chars : countEqual(text, end, form, needed, chars));
  }
  return longest === 0 && forms.length > peersMax ? tailChars : longest;
}

/** How many characters before `end` equal those at the end of `form`, from `charsMin` known ones up to `charsMax`. */
function countEqual(text: string, end: number, form: string, charsMin: number, charsMax: number): number {
  let chars = charsMin;
  while (chars < charsMax && text.charCodeAt(end - 1 - chars) === form.charCodeAt(form.length - 1 - chars))
    chars += 1;
  return chars;
}

/**
 * How a value may be written: unchanged, in JSON by PHP (`\/`) and by .NET (`\u002B`), and in a URL.
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
