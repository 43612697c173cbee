import { createHash } from 'node:crypto';
import type { ToolDefinition } from '@gateway/contracts';
import { GatewayError } from '@gateway/errors';
import { LRUCache } from 'lru-cache';
import type { FoundToolList, ToolLists } from '../plan-tools/tool-lists.port.ts';
import { makeToolCard, type ToolCard } from '../ranking/tool-card.ts';
import { indexToolList, type ToolListIndex } from '../ranking/tool-list-index.ts';
import type { ToolDefinitions } from './tool-definitions.port.ts';

export interface ToolMemoryOptions {
  readonly definitionsBytesMax: number;
  readonly listsBytesMax: number;
}

/** Definitions and indexed lists in this process's memory, the least used given up first: the edge sends them again when asked. */
export class ToolMemory implements ToolLists, ToolDefinitions {
  readonly #cards: LRUCache<string, ToolCard>;
  readonly #lists: LRUCache<string, ToolListIndex>;

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

  /** Gives up a list and definitions: the edge is asked for them again when they are next needed. */
  forget(listHash: string, toolHashes: readonly string[]): void {
    this.#lists.delete(listHash);
    for (const hash of toolHashes) this.#cards.delete(hash);
  }

  find(listHash: string, toolHashes: readonly string[] | undefined): FoundToolList {
    const known = this.#lists.get(listHash);
    if (known !== undefined) return { status: 'known', index: known };
    if (toolHashes === undefined) return { status: 'unknown', missing: [] };
    // Lists are shared by all who send the same tools, so nobody may put others under a list's name.
    if (hashList(toolHashes) !== listHash) {
      throw new GatewayError('invalid_field', { param: 'listHash', detail: 'not the hash of toolHashes' });
    }
    const cards = toolHashes.map((hash) => this.#cards.get(hash));
    const missing = new Set(toolHashes.filter((_, at) => cards[at] === undefined));
    if (missing.size > 0) return { status: 'unknown', missing: [...missing] };
    const index = indexToolList(listHash, cards as ToolCard[]);
    this.#lists.set(listHash, index);
    return { status: 'known', index };
  }
}

/** SHA-256 over the hex hashes, joined by newlines. */
export function hashList(toolHashes: readonly string[]): string {
  return createHash('sha256').update(toolHashes.join('\n')).digest('hex');
}
