import { estimateTextTokens } from '../../text/estimate-tokens.ts';
import { labelOf, parseReference, renderRunReference } from './references.ts';

/** A line cannot start a reference if its label occurs more than this many times. */
const placesMax = 16;
/**
 * Minimum number of tokens that a reference must save. References to runs of at least `runLinesMin` lines must save
 * `runGainMin` tokens. References to shorter runs must save `fewGainMin` tokens.
 */
const runLinesMin = 3;
const runGainMin = 12;
const fewGainMin = 32;
/**
 * Maximum number of characters of a line that are used to estimate its tokens. A reference to a longer line
 * always saves tokens.
 */
const lineLookedAt = 4_000;
/**
 * This entry in the index separates two blocks. It also replaces each sent line that is a reference or a
 * marker.
 */
const gap = -1;
/**
 * In a text that is searched for repeated runs, this number replaces each line that is a reference or a marker.
 * A repeated run therefore never contains such a line.
 */
const standIn = -2;

/**
 * Numbers the sent lines. The numbers make it possible to find repeated runs of lines in linear time. The line index
 * grows with the conversation, and lines are never deleted from it.
 */
export class LineIndex {
  readonly #idByLine = new Map<string, number>();
  readonly #labels: (string | undefined)[] = [];
  readonly #tokens: number[] = [];
  /** The numbers of all sent lines in order, with the entry `gap` between blocks. */
  readonly #sent: number[] = [];
  /** For each label, the positions of its lines in `#sent`. */
  readonly #places = new Map<string, number[]>();

  /** Adds the lines of a sent block. The parameter `text` is the block's text as sent. */
  add(text: string): void {
    for (const line of text.split('\n')) this.#addLine(line);
    this.#sent.push(gap);
  }

  #addLine(line: string): void {
    if (standsForOthers(line)) {
      this.#sent.push(gap);
      return;
    }
    const id = this.#intern(line);
    const label = this.#labels[id];
    if (label !== undefined) this.#note(label, this.#sent.length);
    this.#sent.push(id);
  }

  #note(label: string, place: number): void {
    const places = this.#places.get(label);
    if (places === undefined) this.#places.set(label, [place]);
    else if (places.length <= placesMax) places.push(place);
  }

  #intern(line: string): number {
    const known = this.#idByLine.get(line);
    if (known !== undefined) return known;
    const id = this.#labels.length;
    this.#idByLine.set(line, id);
    this.#labels.push(labelOf(line));
    this.#tokens.push(estimateTextTokens(line, 0, Math.min(line.length, lineLookedAt)) + 1);
    return id;
  }

  /**
   * Replaces each repeated run of lines with a reference. The first occurrence of a run is in an earlier
   * block, or earlier in the same text.
   */
  replaceRuns(text: string): string {
    const lines = text.split('\n');
    const ids = lines.map((line) => (standsForOthers(line) ? standIn : this.#intern(line)));
    const start = this.#sent.length;
    const out: string[] = [];
    let hasChanged = false;
    for (let at = 0; at < ids.length;) {
      const { length, reference } = this.#findRun(ids, at);
      for (let step = 0; step < length; step += 1) this.#addKnown(ids[at + step] as number, reference);
      if (reference === undefined) out.push(...lines.slice(at, at + length));
      else out.push(reference);
      hasChanged ||= reference !== undefined;
      at += length;
    }
    this.#forget(start);
    return hasChanged ? out.join('\n') : text;
  }

  #addKnown(id: number, reference: string | undefined): void {
    const label = this.#labels[id];
    if (reference === undefined && label !== undefined) this.#note(label, this.#sent.length);
    this.#sent.push(reference === undefined && id !== standIn ? id : gap);
  }

  /** Removes all lines after a position in the index. The caller later adds the lines that are actually sent. */
  #forget(start: number): void {
    for (let place = start; place < this.#sent.length; place += 1) {
      const id = this.#sent[place] as number;
      const label = id === gap ? undefined : this.#labels[id];
      const places = label === undefined ? undefined : this.#places.get(label);
      while (places !== undefined && (places.at(-1) ?? -1) >= start) places.pop();
    }
    this.#sent.length = start;
  }

  /**
   * Returns the longest run of lines that a reference can replace, starting at the given line. If no run can be
   * replaced, returns the number of lines to skip.
   */
  #findRun(ids: readonly number[], at: number): { length: number; reference?: string } {
    const label = this.#labels[ids[at] as number];
    const places = label === undefined ? undefined : this.#places.get(label);
    if (places === undefined || places.length > placesMax) return { length: 1 };
    let best = 0;
    let bestPlace = 0;
    for (const place of places) {
      const length = this.#commonLength(ids, at, place);
      if (length > best) [best, bestPlace] = [length, place];
    }
    while (best > 1 && this.#labels[ids[at + best - 1] as number] === undefined) best -= 1;
    if (best === 0) return { length: 1 };
    const reference = this.#referenceTo(bestPlace, best, places);
    return reference === undefined ? { length: best < runLinesMin ? 1 : best } : { length: best, reference };
  }

  #commonLength(ids: readonly number[], at: number, place: number): number {
    const sent = this.#sent;
    let length = 0;
    while (
      at + length < ids.length &&
      place + length < sent.length &&
      sent[place + length] === ids[at + length]
    )
      length += 1;
    return length;
  }

  /**
   * Renders a reference to a run of lines. Undefined if the reference would cost more than it saves, or would
   * be ambiguous.
   */
  #referenceTo(place: number, length: number, places: readonly number[]): string | undefined {
    const sent = this.#sent;
    const last = this.#labels[sent[place + length - 1] as number];
    const reference = renderRunReference(this.#labels[sent[place] as number], last, length);
    if (reference === undefined) return undefined;
    let tokens = 0;
    for (let step = 0; step < length; step += 1)
      tokens += this.#tokens[sent[place + step] as number] as number;
    const gain = tokens - estimateTextTokens(reference) - 1;
    if (gain < (length < runLinesMin ? fewGainMin : runGainMin)) return undefined;
    return places.some((other) => other !== place && this.#isConfusable(other, place, length))
      ? undefined
      : reference;
  }

  /** Whether another run has the same length and the same first and last line, but different content. */
  #isConfusable(other: number, place: number, length: number): boolean {
    const sent = this.#sent;
    let isSame = true;
    for (let step = 0; step < length; step += 1) {
      const id = sent[other + step];
      if (id === undefined || id === gap) return false;
      isSame &&= id === sent[place + step];
    }
    const last = sent[other + length - 1] as number;
    return !isSame && this.#labels[last] === this.#labels[sent[place + length - 1] as number];
  }
}

/** Whether a line is a reference, or a marker for omitted text. */
function standsForOthers(line: string): boolean {
  return line.startsWith('[') && (line.startsWith('[…') || parseReference(line) !== undefined);
}
