import { hashToolList, type ToolDefinition } from '@gateway/contracts';
import { GatewayError } from '@gateway/errors';
import { LRUCache } from 'lru-cache';
import { setImmediate as letOthersIn } from 'node:timers/promises';
import type { KeywordIndex } from './keyword-index.ts';
import { indexToolList } from './keyword-index.ts';
import type { ToolCard } from './tool-card.ts';
import { makeToolCard } from './tool-card.ts';

type FoundToolList =
  | { readonly status: 'known'; readonly index: KeywordIndex }
  /** Hashes of the definitions that are not known; none when it is the list itself that is not. */
  | { readonly status: 'unknown'; readonly missing: string[] };

/** Tool lists keyed by hash. */
export interface ToolLists {
  /** @throws GatewayError `invalid_field` if `listHash` does not match `toolHashes`. */
  find(listHash: string, toolHashes: readonly string[] | undefined): FoundToolList;
}

interface ToolMemoryOptions {
  readonly definitionsBytesMax: number;
  readonly listsBytesMax: number;
}

/**
 * Stores definitions and indexed lists in this process. The least recently used entries are evicted first.
 * The edge gateway sends them again on request.
 */
export class ToolMemory implements ToolLists {
  readonly #cards: LRUCache<string, ToolCard>;
  readonly #lists: LRUCache<string, KeywordIndex>;

  constructor({ definitionsBytesMax, listsBytesMax }: ToolMemoryOptions) {
    this.#cards = new LRUCache({ maxSize: definitionsBytesMax, sizeCalculation: ({ bytes }) => bytes });
    this.#lists = new LRUCache({ maxSize: listsBytesMax, sizeCalculation: ({ bytes }) => bytes });
  }

  get definitions(): number {
    return this.#cards.size;
  }

  get lists(): number {
    return this.#lists.size;
  }

  define(tools: readonly ToolDefinition[]): void {
    for (const tool of tools) {
      if (this.#cards.get(tool.hash) === undefined) this.#cards.set(tool.hash, makeToolCard(tool));
    }
  }

  /** Removes a list and definitions. The edge gateway sends them again when they are needed. */
  forget(listHash: string, toolHashes: readonly string[]): void {
    this.#lists.delete(listHash);
    for (const hash of toolHashes) this.#cards.delete(hash);
  }

  find(listHash: string, toolHashes: readonly string[] | undefined): FoundToolList {
    const known = this.#lists.get(listHash);
    if (known !== undefined) return { status: 'known', index: known };
    if (toolHashes === undefined) return { status: 'unknown', missing: [] };
    // All accounts that send the same tools share a list. The hash check prevents a client from storing other
    // tools under a list's hash.
    if (hashToolList(toolHashes) !== listHash) {
      throw new GatewayError('invalid_field', {
        param: 'listHash',
        detail: 'the value is not the hash of toolHashes',
      });
    }
    const cards = toolHashes.map((hash) => this.#cards.get(hash));
    const missing = new Set(toolHashes.filter((_, at) => cards[at] === undefined));
    if (missing.size > 0) return { status: 'unknown', missing: [...missing] };
    const index = indexToolList(listHash, cards as ToolCard[]);
    this.#lists.set(listHash, index);
    return { status: 'known', index };
  }
}

/** Number of definitions indexed without a pause. They take about two milliseconds. */
const toolsAtOnce = 32;

interface ToolIntakeOptions {
  /** Starts computing the vectors for these definitions. */
  readonly learn: (tools: readonly ToolDefinition[], accountId?: string) => void;
  readonly memory: ToolMemory;
}

/** Indexes definitions in small groups, so that a thousand-tool list does not delay other plans. */
export class ToolIntake {
  readonly #options: ToolIntakeOptions;

  constructor(options: ToolIntakeOptions) {
    this.#options = options;
  }

  async define(tools: readonly ToolDefinition[], accountId?: string): Promise<void> {
    for (let from = 0; from < tools.length; from += toolsAtOnce) {
      const some = tools.slice(from, from + toolsAtOnce);
      this.#options.memory.define(some);
      if (from + toolsAtOnce < tools.length) await letOthersIn();
    }
    this.#options.learn(tools, accountId);
  }
}
