import { hash } from 'node:crypto';
import type { PromptHashes } from '@gateway/contracts';
import type { ByteEdit, ByteRange, MessageOutline, RequestOutline, ToolOutline } from '@gateway/interchange';
import { applyEdits } from '@gateway/wire-formats';
import { LRUCache } from 'lru-cache';
import { BatchedHash } from '../../../bytes/batched-hash.ts';
import { findStart, instructionsOf } from '../../../request/conversation.ts';
import { KnownMessages } from '../../../request/known-messages.ts';

/** Number of hex digits of each hash. A hash of 64 bits is enough to distinguish the prompts of a conversation. */
const digitsMax = 16;
/**
 * Number of earlier turns for which the hash of the transcript is also stored. The worker can match a request even
 * if up to eight turns are missing from the log.
 */
const turnsMax = 8;
/**
 * Maximum length in bytes of a text that is hashed completely. The hash of a longer text covers only its first
 * bytes, its last bytes and its length.
 */
const textBytesMax = 4 * 1024;
/** Maximum number of tool lists with stored hashes. Agents send the same tool list in every request. */
const listsMax = 10_000;

interface ToolHashes {
  readonly tools: string;
  readonly toolSet: string;
}

/**
 * Hashes the parts of prompts that a prompt cache depends on, in the order in which providers read the parts.
 * Each hash covers the account, so that equal prompts of two accounts have different hashes. The hashes
 * exclude cache markers, because agents move cache markers from request to request. A hash represents a tool
 * call by its id and name, and leaves out images.
 */
export class PromptHasher {
  readonly #lists = new LRUCache<string, ToolHashes>({ max: listsMax });

  /**
   * @param owner id of the account.
   * @param bytes the bytes that the outline's ranges refer to
   * @param known the messages that an earlier request of the account contained, which are not hashed again
   */
  hashPrompt(
    owner: string,
    outline: RequestOutline,
    bytes: Buffer,
    known = new KnownMessages(),
  ): PromptHashes {
    const { tools, toolsRange, messages } = outline;
    const instructions = instructionsOf(outline);
    return {
      ...this.#hashTools(owner, tools, toolsRange, bytes),
      system: instructions.length === 0 ? null : digestOf(addMessages(open(owner), instructions, { bytes })),
      ...hashTranscript(owner, messages, { bytes }, known),
    };
  }

  /**
   * Hashes the prompt after the gateway's edits, with the same result as `hashPrompt` for the edited bytes. Messages
   * are hashed from the client's bytes, so that only the tools and instructions of the edited request are scanned.
   */
  hashEdited(
    owner: string,
    { outline, bytes, edits, readOutline, known = new KnownMessages() }: EditedPrompt,
  ): PromptHashes {
    const { messages } = outline;
    const texts = replaceTexts(messages, edits);
    const short = texts && applyEdits(bytes, withoutMessages(messages, texts.others));
    const edited = short && readOutline(short);
    if (!texts || !short || edited?.messages.length !== messages.length) {
      const whole = applyEdits(bytes, edits);
      return this.hashPrompt(owner, readOutline(whole), whole);
    }
    const read = { bytes, replaced: texts.replaced };
    const start = findStart(messages);
    const system = edited.system === undefined ? [] : [edited.system];
    const instructions = addMessages(open(owner), system, { bytes: short });
    return {
      ...this.#hashTools(owner, edited.tools, edited.toolsRange, short),
      system:
        system.length + start === 0
          ? null
          : digestOf(addMessages(instructions, messages.slice(0, start), read)),
      ...hashTranscript(owner, messages, read, known),
    };
  }

  #hashTools(
    owner: string,
    tools: readonly ToolOutline[],
    range: ByteRange | undefined,
    bytes: Buffer,
  ): ToolHashes | { tools: null; toolSet: null } {
    if (range === undefined || tools.length === 0) return { tools: null, toolSet: null };
    const list = open(owner).addBytes(bytes, range.start, range.end).digestText('base64');
    let known = this.#lists.get(list);
    if (known === undefined) {
      const definitions = tools.map((tool) => withoutMarker(tool, bytes)).filter(({ length }) => length > 0);
      const each = definitions.map((definition) => hash('sha256', definition));
      known = {
        tools: digestOf(open(owner).add(each.join())),
        toolSet: digestOf(open(owner).add(each.sort().join())),
      };
      this.#lists.set(list, known);
    }
    return known;
  }
}

/**
 * Matches a cache marker and the comma before the marker. If no comma precedes the marker, the expression matches
 * the comma after the marker.
 */
const marker = /,\s*"cache_control"\s*:\s*\{[^{}]*\}|"cache_control"\s*:\s*\{[^{}]*\}\s*,?\s*/g;
const cachePoint = /^\{\s*"cachePoint"/;

/**
 * Returns a tool's definition without its cache marker. In the converse format, a cache marker is a separate
 * element after the tool. For an element with only a cache marker, the function returns an empty text.
 */
function withoutMarker({ range, cacheControl }: ToolOutline, bytes: Buffer): Buffer | string {
  const own = bytes.subarray(range.start, range.end);
  if (!cacheControl) return own;
  const text = own.toString('utf8');
  return cachePoint.test(text) ? '' : text.replaceAll(marker, '');
}

/** A client's request, and the gateway's edits to the request. */
interface EditedPrompt {
  readonly outline: RequestOutline;
  /** The client's request body. The outline and the edits contain byte ranges of this body. */
  readonly bytes: Buffer;
  readonly edits: readonly ByteEdit[];
  readonly readOutline: (edited: Buffer) => RequestOutline;
  /** The known messages of the client's request. */
  readonly known?: KnownMessages | undefined;
}

/**
 * Separates the edits that replace text in a message from all other edits. Returns null if an edit changes a part of
 * a message that is not text.
 */
function replaceTexts(
  messages: readonly MessageOutline[],
  edits: readonly ByteEdit[],
): { replaced: ReadonlyMap<number, Buffer>; others: readonly ByteEdit[] } | null {
  const replaced = new Map<number, Buffer>();
  const others: ByteEdit[] = [];
  let next = 0;
  for (const edit of edits) {
    while ((messages[next]?.range.end ?? Infinity) <= edit.start) next += 1;
    const message = messages[next];
    if (message === undefined || message.range.start >= edit.end) others.push(edit);
    else if (message.textRanges().some(({ start, end }) => start === edit.start && end === edit.end))
      replaced.set(edit.start, Buffer.from(edit.replacement));
    else return null;
  }
  return { replaced, others };
}

/** Replaces each message with an empty text, which every format accepts as one message. */
function withoutMessages(messages: readonly MessageOutline[], others: readonly ByteEdit[]): ByteEdit[] {
  const empty = messages.map(({ range }) => ({ ...range, replacement: '""' }));
  return [...others, ...empty].sort((one, other) => one.start - other.start);
}

/** The bytes of the messages. The field `replaced` maps start positions of edited texts to their replacements. */
interface MessageBytes {
  readonly bytes: Buffer;
  readonly replaced?: ReadonlyMap<number, Buffer> | undefined;
}

/**
 * Hashes the whole transcript, and also the transcript before each of the model's newest turns. Continues a hash of
 * an earlier request, if the request began with the same messages.
 */
function hashTranscript(
  owner: string,
  messages: readonly MessageOutline[],
  read: MessageBytes,
  known: KnownMessages,
): Pick<PromptHashes, 'opening' | 'before' | 'here'> {
  const start = findStart(messages);
  const turns = messages.flatMap(({ role }, at) =>
    at >= start && role === 'assistant' && messages[at - 1]?.role !== 'assistant' ? [at] : [],
  );
  const opening = turns[0] ?? messages.length;
  const newest = turns.slice(-turnsMax).reverse();
  const needed = [opening, ...newest, messages.length];
  const unchanged = read.replaced?.size ? findReplaced(messages, read.replaced) : messages.length;
  const usable = known
    .begunHashes()
    .filter(
      ({ count, digests }) =>
        count > start && count <= unchanged && needed.every((at) => at >= count || digests.has(at)),
    );
  const [begun] = usable;
  const all = begun?.hash.copy() ?? open(owner);
  const digests = new Map(needed.map((at) => [at, begun?.digests.get(at) ?? '']));
  const stops = read.replaced === undefined ? known.stops : [];
  if (read.replaced === undefined) for (const each of usable) known.keepHash(each);
  let from = begun?.count ?? start;
  for (const at of new Set([...needed, ...stops].sort((one, other) => one - other))) {
    if (at < from) continue;
    addMessages(all, messages.slice(from, at), read);
    from = at;
    if (stops.includes(at)) known.keepHash({ count: at, hash: all.copy(), digests });
    if (digests.has(at)) digests.set(at, digestOf(all.copy()));
  }
  const digestAt = (at: number): string => digests.get(at) ?? '';
  return { opening: digestAt(opening), before: newest.map(digestAt), here: digestAt(messages.length) };
}

/** The index of the first message with a replaced text. */
function findReplaced(messages: readonly MessageOutline[], replaced: ReadonlyMap<number, Buffer>): number {
  return messages.findIndex((message) => message.textRanges().some(({ start }) => replaced.has(start)));
}

function addMessages(
  all: BatchedHash,
  messages: readonly MessageOutline[],
  { bytes, replaced }: MessageBytes,
): BatchedHash {
  for (const message of messages) {
    const { role, toolCalls, toolResultIds } = message;
    const ids = [...toolCalls.map(({ id, name }) => `${id}:${name}`), ...toolResultIds].join();
    const texts = message.textRanges().map((range) => {
      const other = replaced?.get(range.start);
      return other === undefined ? { bytes, ...range } : { bytes: other, start: 0, end: other.length };
    });
    all.add(`${role}\n${ids}\n${texts.map(({ start, end }) => end - start).join()}\n`);
    for (const { bytes: own, start, end } of texts) {
      const isLong = end - start > textBytesMax;
      all.addBytes(own, start, isLong ? start + textBytesMax / 2 : end);
      if (isLong) all.addBytes(own, end - textBytesMax / 2, end);
    }
  }
  return all;
}

function open(owner: string): BatchedHash {
  return new BatchedHash().add(`${owner}\n`);
}

function digestOf(all: BatchedHash): string {
  return all.digestText('hex').slice(0, digitsMax);
}
