import { hash } from 'node:crypto';
import { LRUCache } from 'lru-cache';
import { hashToolList } from '@gateway/contracts';
import type { ToolOutline } from '@gateway/interchange';

/** A tool list by its hashes. */
export interface HashedList {
  readonly toolHashes: readonly string[];
  readonly listHash: string;
}

/**
 * Hashes of tool lists, kept by the bytes they were made of: agents send the same list with every turn, so that one
 * digest of the whole stands for a digest of each tool.
 */
export class ToolListHasher {
  readonly #lists = new LRUCache<string, HashedList>({
    max: 5_000,
    maxSize: 500_000,
    sizeCalculation: (list) => list.toolHashes.length + 1,
  });

  hashesOf(bytes: Buffer, tools: readonly ToolOutline[]): HashedList {
    const key = keyOf(bytes, tools);
    const kept = this.#lists.get(key);
    if (kept) return kept;
    const toolHashes = tools.map(({ range }) => hash('sha256', bytes.subarray(range.start, range.end)));
    const list = { toolHashes, listHash: hashToolList(toolHashes) };
    this.#lists.set(key, list);
    return list;
  }
}

/** The bytes from the first tool to the last, and which of those between are in the list. */
function keyOf(bytes: Buffer, tools: readonly ToolOutline[]): string {
  const start = tools[0]?.range.start ?? 0;
  const end = tools.at(-1)?.range.end ?? 0;
  const digest = hash('sha256', bytes.subarray(start, end));
  return `${digest}:${hash('sha256', tools.map((tool) => tool.index).join(','))}`;
}
