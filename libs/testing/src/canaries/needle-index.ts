import { renderNeedles, windowCharacters, type Needle } from './render-needles.ts';

/** A position in the searched bytes at which a part of a secret occurs. */
export interface CanaryHit {
  /** The name of the secret, never its value. */
  readonly secret: string;
  readonly encoding: Needle['encoding'];
  /** The text before and after the secret, without any characters of the secret. */
  readonly before: string;
}

export interface Secret {
  readonly name: string;
  readonly value: string;
}

/** A bitmap of 2^24 bits, indexed by four-byte hashes. The bitmap quickly excludes nearly every position. */
const filterBits = 24;
// `imul` is a constant, because in Jest each access to a global costs more than the multiplication.
const { imul } = Math;
const contextBytes = 120;
/**
 * Maximum number of findings. A single finding makes the test fail. Additional findings help to locate the
 * source of a leak.
 */
const hitsMax = 50;

/**
 * Finds any twelve consecutive characters of any secret, in any encoding from `renderNeedles`. The search
 * takes a single pass over the bytes.
 */
export class NeedleIndex {
  readonly #filter = new Uint8Array(1 << (filterBits - 3));
  readonly #needles = new Map<string, Needle[]>();

  constructor(secrets: Iterable<Secret>) {
    for (const { name, value } of secrets) for (const needle of renderNeedles(name, value)) this.#add(needle);
  }

  /** Number of windows for which the index searches. The index searches for each window in all encodings. */
  get size(): number {
    return this.#needles.size;
  }

  find(bytes: Buffer): CanaryHit[] {
    const hits = new Map<string, CanaryHit>();
    const filter = this.#filter;
    let last = 0;
    for (let at = 0; at < bytes.length && hits.size < hitsMax; at++) {
      last = (last << 8) | bytes[at]!;
      const slot = slotOf(last);
      if ((filter[slot >>> 3]! & (1 << (slot & 7))) === 0 || at < 3) continue;
      const start = at - 3;
      const needle = this.#match(bytes, start);
      if (!needle) continue;
      const before = bytes.toString('latin1', Math.max(0, start - contextBytes), start);
      const hit = { secret: needle.secret, encoding: needle.encoding, before };
      const name = `${hit.secret} ${hit.encoding}`;
      if (!hits.has(name)) hits.set(name, hit);
    }
    return [...hits.values()];
  }

  #match(bytes: Buffer, start: number): Needle | undefined {
    const candidates = this.#needles.get(bytes.toString('latin1', start, start + windowCharacters));
    return candidates?.find(({ bytes: wanted }) =>
      wanted.equals(bytes.subarray(start, start + wanted.length)),
    );
  }

  #add(needle: Needle): void {
    const { bytes } = needle;
    const slot = slotOf(bytes.readInt32BE(0));
    this.#filter[slot >>> 3] = (this.#filter[slot >>> 3] ?? 0) | (1 << (slot & 7));
    const key = bytes.toString('latin1', 0, windowCharacters);
    this.#needles.set(key, [...(this.#needles.get(key) ?? []), needle]);
  }
}

/** Hashes a word by multiplication (Knuth, TAOCP 3, §6.4). */
function slotOf(word: number): number {
  return imul(word, 0x9e3779b1) >>> (32 - filterBits);
}
