/**
 * Words near each other in meaning, read from `synonyms.bin`: uint32 length of the words' text in bytes, that text (a word
 * a line, padded by newlines to four bytes), uint32 start of each word's neighbours (one more than there are words),
 * then for each neighbour a uint16 place among the words and, after all of those, a uint8 cosine in 255ths.
 */
export class Synonyms {
  static readonly none = new Synonyms([], new Uint32Array(1), new Uint16Array(0), new Uint8Array(0));

  readonly #words: readonly string[];
  readonly #places: ReadonlyMap<string, number>;
  readonly #starts: Uint32Array;
  readonly #neighbours: Uint16Array;
  readonly #cosines: Uint8Array;

  private constructor(
    words: readonly string[],
    starts: Uint32Array,
    neighbours: Uint16Array,
    cosines: Uint8Array,
  ) {
    this.#words = words;
    this.#places = new Map(words.map((word, place) => [word, place]));
    this.#starts = starts;
    this.#neighbours = neighbours;
    this.#cosines = cosines;
  }

  /** @throws RangeError when the bytes are not such a file. */
  static parse(bytes: Uint8Array): Synonyms {
    const copy = Uint8Array.from(bytes).buffer;
    const textBytes = new DataView(copy).getUint32(0, true);
    const words = Buffer.from(copy, 4, textBytes).toString('utf8').trimEnd().split('\n');
    const starts = new Uint32Array(copy, 4 + textBytes, words.length + 1);
    const count = starts[words.length] ?? 0;
    const from = 4 + textBytes + starts.byteLength;
    return new Synonyms(
      words,
      starts,
      new Uint16Array(copy, from, count),
      new Uint8Array(copy, from + 2 * count, count),
    );
  }

  /** Nearest first; the word itself is not among them. */
  visitNeighbours(word: string, visit: (neighbour: string, cosine: number) => void): void {
    const place = this.#places.get(word);
    if (place === undefined) return;
    const end = this.#starts[place + 1] ?? 0;
    for (let at = this.#starts[place] ?? 0; at < end; at += 1) {
      visit(this.#words[this.#neighbours[at] ?? 0] ?? '', (this.#cosines[at] ?? 0) / 255);
    }
  }
}
