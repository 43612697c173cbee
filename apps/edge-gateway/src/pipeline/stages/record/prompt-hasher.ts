import { createHash, hash, type Hash } from 'node:crypto';
import type { PromptHashes } from '@gateway/contracts';
import type { ByteRange, MessageOutline, RequestOutline, ToolOutline } from '@gateway/interchange';
import { LRUCache } from 'lru-cache';
import { findStart, instructionsOf } from '../../../request/conversation.ts';

/** Number of hex digits of each hash. These 64 bits are enough to distinguish the prompts of a conversation. */
const digitsMax = 16;
/**
 * Number of earlier turns for which the hash of the transcript is also stored. The worker can thus match a
 * request even if the log lacks up to this number of turns.
 */
const turnsMax = 8;
/**
 * Maximum length in bytes of a text that is hashed completely. The hash of a longer text covers the first
 * bytes, the last bytes and the length of the text.
 */
const textBytesMax = 4 * 1024;
/** Maximum number of tool lists with stored hashes. Agents send the same tool list in every request. */
const listsMax = 10_000;

interface ToolHashes {
  readonly tools: string;
  readonly toolSet: string;
}

/**
 * Hashes the parts of prompts that a prompt cache depends on, in the order in which providers read the parts. A
 * hash covers the account, so equal prompts of two accounts have different hashes. The hashes exclude cache
 * markers, because agents move cache markers from request to request. A hash represents a tool call by its id
 * and name, and leaves out images.
 */
export class PromptHasher {
  readonly #lists = new LRUCache<string, ToolHashes>({ max: listsMax });

  /**
   * @param owner the account.
   * @param bytes the bytes that the outline's ranges refer to
   */
  hashPrompt(owner: string, outline: RequestOutline, bytes: Buffer): PromptHashes {
    const { tools, toolsRange, messages } = outline;
    const instructions = instructionsOf(outline);
    return {
      ...this.#hashTools(owner, tools, toolsRange, bytes),
      system: instructions.length === 0 ? null : digestOf(addMessages(open(owner), instructions, bytes)),
      ...hashTranscript(owner, messages.slice(findStart(messages)), bytes),
    };
  }

  #hashTools(
    owner: string,
    tools: readonly ToolOutline[],
    range: ByteRange | undefined,
    bytes: Buffer,
  ): ToolHashes | { tools: null; toolSet: null } {
    if (range === undefined || tools.length === 0) return { tools: null, toolSet: null };
    const list = open(owner).update(bytes.subarray(range.start, range.end)).digest('base64');
    let known = this.#lists.get(list);
    if (known === undefined) {
      const definitions = tools.map((tool) => withoutMarker(tool, bytes)).filter(({ length }) => length > 0);
      const each = definitions.map((definition) => hash('sha256', definition));
      known = {
        tools: digestOf(open(owner).update(each.join())),
        toolSet: digestOf(open(owner).update(each.sort().join())),
      };
      this.#lists.set(list, known);
    }
    return known;
  }
}

/**
 * A cache marker with the comma before the marker. If no comma precedes the marker, the range includes the
 * comma after the marker.
 */
const marker = /,\s*"cache_control"\s*:\s*\{[^{}]*\}|"cache_control"\s*:\s*\{[^{}]*\}\s*,?\s*/g;
const cachePoint = /^\{\s*"cachePoint"/;

/**
 * Returns a tool's definition without its cache marker. In the converse format, a cache marker is a separate
 * element after the tool. For an element that is only a cache marker, the returned definition is empty.
 */
function withoutMarker({ range, cacheControl }: ToolOutline, bytes: Buffer): Buffer | string {
  const own = bytes.subarray(range.start, range.end);
  if (!cacheControl) return own;
  const text = own.toString('utf8');
  return cachePoint.test(text) ? '' : text.replaceAll(marker, '');
}

/** Hashes the whole transcript, and also the transcript before each of the model's newest turns. */
function hashTranscript(
  owner: string,
  messages: readonly MessageOutline[],
  bytes: Buffer,
): Pick<PromptHashes, 'opening' | 'before' | 'here'> {
  const turns = messages.flatMap(({ role }, at) =>
    role === 'assistant' && messages[at - 1]?.role !== 'assistant' ? [at] : [],
  );
  const all = open(owner);
  const before: string[] = [];
  let from = 0;
  const addUpTo = (end: number): string => {
    addMessages(all, messages.slice(from, end), bytes);
    from = end;
    return digestOf(all.copy());
  };
  const opening = addUpTo(turns[0] ?? messages.length);
  for (const turn of turns.slice(-turnsMax)) before.unshift(addUpTo(turn));
  return { opening, before, here: addUpTo(messages.length) };
}

function addMessages(all: Hash, messages: readonly MessageOutline[], bytes: Buffer): Hash {
  for (const { role, toolCalls, toolResultIds, ...message } of messages) {
    const ids = [...toolCalls.map(({ id, name }) => `${id}:${name}`), ...toolResultIds].join();
    const texts = message.textRanges();
    all.update(`${role}\n${ids}\n${texts.map(({ start, end }) => end - start).join()}\n`);
    for (const { start, end } of texts) {
      const isLong = end - start > textBytesMax;
      all.update(bytes.subarray(start, isLong ? start + textBytesMax / 2 : end));
      if (isLong) all.update(bytes.subarray(end - textBytesMax / 2, end));
    }
  }
  return all;
}

function open(owner: string): Hash {
  return createHash('sha256').update(`${owner}\n`);
}

function digestOf(all: Hash): string {
  return all.digest('hex').slice(0, digitsMax);
}
