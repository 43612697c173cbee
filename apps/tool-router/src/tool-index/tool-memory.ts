import { hashToolList, type ToolDefinition } from '@gateway/contracts';
import { GatewayError } from '@gateway/errors';
import type { LoopShare, Pieces } from '@gateway/messaging';
import { LRUCache } from 'lru-cache';
import type { KeywordIndex } from './keyword-index.ts';
import { indexInPieces } from './keyword-index.ts';
import type { ToolCard } from './tool-card.ts';
import { makeToolCard } from './tool-card.ts';

type FoundToolList =
  | { readonly status: 'known'; readonly index: KeywordIndex }
  /** Hashes of the missing tool definitions. Empty if the tool list itself is missing. */
  | { readonly status: 'unknown'; readonly missing: string[] };

/** Indexed tool lists by the hash of the list. */
export interface ToolLists {
  /** Returns the number of tools in a tool list, or 0 for a tool list that is not in memory. */
  sizeOf(listHash: string): number;
  /**
   * Finds a tool list, or indexes the list if all of its definitions are in memory.
   * @throws GatewayError `invalid_field` if `listHash` does not match `toolHashes`.
   */
  find(listHash: string, toolHashes: readonly string[] | undefined): Pieces<FoundToolList>;
}

/** Number of tool definitions to process between two pauses, which takes about half a millisecond. */
const definedAtOnce = 8;

interface ToolMemoryOptions {
  readonly definitionsBytesMax: number;
  readonly listsBytesMax: number;
}

/**
 * Stores tool definitions and indexed tool lists in this process. When a size limit is reached, the least
 * recently used definitions and lists are evicted first. The edge gateway sends evicted definitions again on
 * request.
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

  /**
   * Removes a tool list and tool definitions. The edge gateway sends removed definitions again when a plan
   * needs them.
   */
  forget(listHash: string, toolHashes: readonly string[]): void {
    this.#lists.delete(listHash);
    for (const hash of toolHashes) this.#cards.delete(hash);
  }

  sizeOf(listHash: string): number {
    return this.#lists.peek(listHash)?.names.length ?? 0;
  }

  *find(listHash: string, toolHashes: readonly string[] | undefined): Pieces<FoundToolList> {
    const known = this.#lists.get(listHash);
    if (known !== undefined) return { status: 'known', index: known };
    if (toolHashes === undefined) return { status: 'unknown', missing: [] };
    // All accounts that send the same tools share one indexed list.
    // Because of the hash check, a client cannot store different tools under the hash of a list.
    if (hashToolList(toolHashes) !== listHash) {
      throw new GatewayError('invalid_field', {
        param: 'listHash',
        detail: 'the value is not the hash of toolHashes',
      });
    }
    const cards = toolHashes.map((hash) => this.#cards.get(hash));
    const missing = new Set(toolHashes.filter((_, at) => cards[at] === undefined));
    if (missing.size > 0) return { status: 'unknown', missing: [...missing] };
    const index = yield* indexInPieces(listHash, cards as ToolCard[]);
    this.#lists.set(listHash, index);
    return { status: 'known', index };
  }
}

interface ToolIntakeOptions {
  /** Starts computing the vectors for newly stored tool definitions. */
  readonly learn: (tools: readonly ToolDefinition[], accountId?: string) => void;
  readonly memory: ToolMemory;
  readonly share: LoopShare;
}

/**
 * Stores the tool definitions of a request. The time spent on the definitions counts toward the account's
 * share of the event loop.
 */
export class ToolIntake {
  readonly #options: ToolIntakeOptions;

  constructor(options: ToolIntakeOptions) {
    this.#options = options;
  }

  async define(tools: readonly ToolDefinition[], accountId = ''): Promise<void> {
    const { share, learn } = this.#options;
    await share.run(accountId, this.#store(tools));
    learn(tools, accountId);
  }

  *#store(tools: readonly ToolDefinition[]): Pieces<void> {
    for (let from = 0; from < tools.length; from += definedAtOnce) {
      this.#options.memory.define(tools.slice(from, from + definedAtOnce));
      yield;
    }
  }
}
