import { hash } from 'node:crypto';
import { LRUCache } from 'lru-cache';
import { hashToolList } from '@gateway/contracts';
import type { ToolOutline } from '@gateway/interchange';
import { BatchedHash } from '../../../../bytes/batched-hash.ts';

/** The hashes that identify a tool list. */
export interface HashedList {
  readonly toolHashes: readonly string[];
  readonly listHash: string;
}

/**
 * Hashes tool lists, and caches the hashes under the bytes of the list. Agents send the same tool list in every
 * turn, so one digest of the whole list replaces the digests of all tools.
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
    const toolHashes = tools.map((tool) => hashTool(bytes, tool));
    const list = { toolHashes, listHash: hashToolList(toolHashes) };
    this.#lists.set(key, list);
    return list;
  }
}

/**
 * Equal tools of two namespaces have different names, and therefore different hashes. The namespace is hashed as a
 * JSON string, so that the namespace and the definition have a clear boundary.
 */
function hashTool(bytes: Buffer, { namespace, range: { start, end } }: ToolOutline): string {
  if (namespace === undefined) return hash('sha256', bytes.subarray(start, end));
  return new BatchedHash().add(JSON.stringify(namespace)).addBytes(bytes, start, end).digestText('hex');
}

/** Returns a cache key for the selected tools and the bytes from the first to the last selected tool. */
function keyOf(bytes: Buffer, tools: readonly ToolOutline[]): string {
  const start = tools[0]?.range.start ?? 0;
  const end = tools.at(-1)?.range.end ?? 0;
  const digest = hash('sha256', bytes.subarray(start, end));
  const selected = tools.map(({ index, namespace }) =>
    namespace === undefined ? index : `${index}${JSON.stringify(namespace)}`,
  );
  return `${digest}:${hash('sha256', selected.join())}`;
}
