import { embedTools } from '@gateway/contracts';
import type { Messaging } from '@gateway/messaging';
import { readName, type OfferedTool } from './assessed-tool.ts';

/**
 * Embeddings of tools and words, as rows of length 1. The dot product of two rows is the cosine between them.
 */
export class Meanings {
  readonly #dimensions: number;
  readonly #numbers: Float32Array;
  readonly #tools: ReadonlyMap<string, number>;
  readonly #words: ReadonlyMap<string, number>;

  /** @param numbers the rows of the tools, followed by the rows of the words */
  constructor(
    dimensions: number,
    numbers: Float32Array,
    { tools, words }: { readonly tools: readonly string[]; readonly words: readonly string[] },
  ) {
    this.#dimensions = dimensions;
    this.#numbers = numbers;
    this.#tools = new Map(tools.map((name, row) => [name, row]));
    this.#words = new Map(words.map((word, at) => [word, tools.length + at]));
  }

  /** Returns the cosine between two tools, given by name. Returns 0 if either tool name is unknown. */
  compareTools(one: string, other: string): number {
    const [first, second] = [this.#tools.get(one), this.#tools.get(other)];
    if (first === undefined || second === undefined) return 0;
    const from = second * this.#dimensions;
    let sum = 0;
    for (let at = first * this.#dimensions, to = from; to < from + this.#dimensions; at += 1, to += 1)
      sum += (this.#numbers[at] ?? 0) * (this.#numbers[to] ?? 0);
    return sum;
  }

  /**
   * Returns the cosine between two word lists, each represented by the sum of its word embeddings. Returns 0
   * if one of the word lists contains no known word.
   */
  compareWords(one: readonly string[], other: readonly string[]): number {
    const [first, second] = [this.#sum(one), this.#sum(other)];
    const length = Math.sqrt(multiply(first, first) * multiply(second, second));
    return length === 0 ? 0 : multiply(first, second) / length;
  }

  #sum(words: readonly string[]): Float32Array {
    const sum = new Float32Array(this.#dimensions);
    for (const word of words) {
      const row = this.#words.get(word);
      if (row === undefined) continue;
      const from = row * this.#dimensions;
      for (let at = 0; at < this.#dimensions; at += 1)
        sum[at] = (sum[at] ?? 0) + (this.#numbers[from + at] ?? 0);
    }
    return sum;
  }
}

function multiply(one: Float32Array, other: Float32Array): number {
  let sum = 0;
  for (let at = 0; at < one.length; at += 1) sum += (one[at] ?? 0) * (other[at] ?? 0);
  return sum;
}

const wordsMax = 2_000;
const wordCharactersMax = 64;
const floatBytes = 4;

/** Returns the embeddings of a tool list. Returns null if the router currently cannot encode the tools. */
export type ReadMeanings = (tools: readonly OfferedTool[]) => Promise<Meanings | null>;
export const READ_MEANINGS = Symbol('ReadMeanings');

/**
 * Fetches embeddings for the tools in a list from the router. Returns null if the router is unavailable.
 * Without embeddings, the comparison of tools uses only their words.
 */
export async function readMeanings(
  messaging: Pick<Messaging, 'call'>,
  tools: readonly OfferedTool[],
): Promise<Meanings | null> {
  const words = listNameWords(tools);
  const definitions = tools.map(({ name, description, parameters }) => ({ name, description, parameters }));
  try {
    const { vectors } = await messaging.call(embedTools, { tools: definitions, words });
    if (vectors === null) return null;
    const bytes = [vectors.tools, vectors.words].map((text) => Buffer.from(text, 'base64'));
    const numbers = readFloats(Buffer.concat(bytes));
    if (numbers.length !== (tools.length + words.length) * vectors.dimensions) return null;
    return new Meanings(vectors.dimensions, numbers, { tools: tools.map(({ name }) => name), words });
  } catch {
    return null;
  }
}

/** Lists the distinct stems of the words in the tool names, without the verbs. */
function listNameWords(tools: readonly OfferedTool[]): string[] {
  const words = new Set(tools.flatMap((tool) => [...readName(tool.name).objects]));
  return [...words].filter(({ length }) => length <= wordCharactersMax).slice(0, wordsMax);
}

function readFloats(bytes: Buffer): Float32Array {
  const numbers = new Float32Array(bytes.length / floatBytes);
  for (let at = 0; at < numbers.length; at += 1) numbers[at] = bytes.readFloatLE(at * floatBytes);
  return numbers;
}
