import { createCipheriv, randomBytes } from 'node:crypto';
import type { ByteRange, MessageOutline } from '@gateway/interchange';
import type { JsonTape, ScanPoint } from '@gateway/wire-formats';
import { LRUCache } from 'lru-cache';
import { AccountAmounts } from '../admission/fair-share.ts';
import type { BatchedHash } from '../bytes/batched-hash.ts';

/** Agents repeat the whole conversation in every request. Bodies are compared in blocks of this number of bytes. */
const blockBytes = 128 * 1024;
/** Number of names of a remembered body, for its last blocks. Clients often change the end of a conversation. */
const namesMax = 2;
/** A body with more messages is not remembered, because such a body would keep many short values in memory. */
const messagesMax = 4_096;
/** Maximum memory of all remembered bodies in bytes. A single account may use at most half of it. */
const [rememberedBytesMax, accountShare] = [64 * 1024 * 1024, 0.5];
/** Memory that a remembered body uses at least, so that the number of remembered bodies is at most 1,024. */
const bytesPerBodyMin = 64 * 1024;
/** Length of a SHA-256 hash in bytes. */
const linkBytes = 32;
/** Estimated memory in bytes of a message's range and its hashes, and of the short text of a user turn. */
const [bytesPerMessage, bytesPerTurn] = [8 + 2 * linkBytes, 100];
/** Maximum length in characters of a short text, and maximum number of short texts of a request. */
const [shortTextMax, shortTextsMax] = [1_000, 200];

/**
 * Results that depend only on the messages of a body. Each list of hashes is one buffer, because the garbage
 * collector visits every object that stays in memory.
 */
interface Results {
  /** Short texts, by message. */
  readonly shortTexts: Map<number, string>;
  /** Hashes of the conversation up to each message, by the parameter `start` of `KnownMessages.chain`. */
  readonly chains: Map<string, Buffer>;
  /** Hashes of the conversation that a later request can continue, by the number of messages. */
  readonly begun: Map<number, BegunHash>;
}

/** A hash of the conversation up to a message, which can be continued with the following messages. */
export interface BegunHash {
  /** Number of messages that the hash covers or omits. */
  readonly count: number;
  /** The hash, which must be copied before it is continued. */
  readonly hash: BatchedHash;
  /** Digests of the same hash at earlier messages, by number of messages. */
  readonly digests: ReadonlyMap<number, string>;
}

/** The start of a body up to the end of a block. The bytes of the body are not kept. */
interface RememberedBody {
  readonly accountId: string;
  /** The last position in these blocks at which a scan can start. */
  readonly point: ScanPoint | undefined;
  /** The start and the end of each message. */
  readonly ranges: Uint32Array;
  readonly results: Results;
  /** Approximate memory in bytes. */
  readonly bytes: number;
}

/** The result of comparing the first blocks of a body with the account's earlier bodies. */
interface ComparedBody {
  readonly accountId: string;
  /** For each block, a name that identifies the body up to the end of the block. */
  readonly names: readonly string[];
  /** The longest start of the body that is known from an earlier body. */
  readonly earlier: RememberedBody | undefined;
}

/**
 * The messages of a request, and the results for messages that an earlier request also contained. The messages have
 * the same bytes in both requests.
 */
export class KnownMessages {
  readonly #results: Results | undefined;
  readonly #earlier: Results | undefined;
  readonly #count: number;
  /** Numbers of messages after which a later request probably continues. */
  readonly stops: readonly number[];

  /**
   * @param results receives the results for later requests. Undefined if the request is not remembered.
   * @param count number of messages at the start of the conversation for which `earlier` has results
   */
  constructor(results?: Results, stops: readonly number[] = [], count = 0, earlier?: Results) {
    this.#results = results;
    this.stops = stops;
    this.#count = count;
    this.#earlier = earlier;
  }

  /** Returns the short text of a message. `shorten` is called only if the text is not known. */
  shortText(message: number, shorten: () => string): string {
    const known = message < this.#count ? this.#earlier?.shortTexts.get(message) : undefined;
    const text = known ?? shorten();
    this.#results?.shortTexts.set(message, text);
    return text;
  }

  /**
   * Returns the hashes of the conversation up to each message.
   * @param start identifies everything that the hashes cover before the first message
   * @param extend adds the missing hashes to the list of the known hashes. Each hash has 32 bytes.
   */
  chain(start: string, extend: (links: Buffer[]) => void): readonly Buffer[] {
    const known = this.#earlier?.chains.get(start);
    const count = known === undefined ? 0 : Math.min(this.#count, known.length / linkBytes);
    const links = Array.from({ length: count }, (_, at) =>
      (known as Buffer).subarray(at * linkBytes, (at + 1) * linkBytes),
    );
    extend(links);
    this.#results?.chains.set(start, Buffer.concat(links));
    return links;
  }

  /** The hashes that earlier requests began with the same messages, longest first. */
  begunHashes(): readonly BegunHash[] {
    const begun = [...(this.#earlier?.begun.values() ?? [])].filter(({ count }) => count <= this.#count);
    return begun.sort((one, other) => other.count - one.count);
  }

  /** Keeps a hash of the conversation for later requests, if a later request probably continues there. */
  keepHash(begun: BegunHash): void {
    if (this.stops.includes(begun.count)) this.#results?.begun.set(begun.count, begun);
  }
}

/**
 * Recognizes request bodies that start like an earlier body of the same account. The gateway then reads only the
 * rest of the body. Bodies are identified by authentication tags under a random key of this process.
 */
export class KnownBodies {
  readonly #key = randomBytes(16);
  readonly #amounts = new AccountAmounts({ capacity: rememberedBytesMax, accountShare });
  readonly #bodies = new LRUCache<string, RememberedBody>({
    max: rememberedBytesMax / bytesPerBodyMin,
    dispose: ({ accountId, bytes }) => this.#amounts.release(accountId, bytes),
  });

  /** Approximate memory of all remembered bodies in bytes. */
  get bytes(): number {
    return this.#amounts.used;
  }

  /** Compares a body with earlier bodies. The running time is linear in the size of the body. */
  compare(accountId: string, format: string, bytes: Buffer): ComparedBody {
    if (bytes.length < 2 * blockBytes) return { accountId, names: [], earlier: undefined };
    const names: string[] = [];
    for (let end = blockBytes; end <= bytes.length; end += blockBytes) {
      const before = names.at(-1) ?? `${accountId}:${format}`;
      names.push(this.#nameBlock(before, bytes.subarray(end - blockBytes, end)));
    }
    const known = names.findLast((name) => this.#bodies.has(name));
    return { accountId, names, earlier: known === undefined ? undefined : this.#bodies.get(known) };
  }

  /**
   * Remembers a body after it was scanned. Returns its messages, with the results for known messages. A body of
   * many small values is not remembered.
   */
  remember(compared: ComparedBody, tape: JsonTape, messages: readonly MessageOutline[]): KnownMessages {
    const { accountId, names, earlier } = compared;
    const isOrdinary = messages.length <= messagesMax && tape.memoryBytes <= tape.bytes.length;
    if (names.length === 0 || !isOrdinary) return new KnownMessages();
    const ranges = Uint32Array.from(messages.flatMap(({ range: { start, end } }) => [start, end]));
    const results: Results = { shortTexts: new Map(), chains: new Map(), begun: new Map() };
    const stops: number[] = [];
    const bytes = Math.max(bytesPerBodyMin, tape.memoryBytes + estimateResults(messages));
    for (const [at, name] of [...names.entries()].slice(-namesMax)) {
      const point = tape.pointBefore((at + 1) * blockBytes);
      stops.push(countUpTo(messages, point?.at ?? 0));
      this.#keep(name, { accountId, point, ranges, results, bytes });
    }
    const count = earlier === undefined ? 0 : countKnown(messages, earlier);
    return new KnownMessages(results, stops, count, earlier?.results);
  }

  /** Removes the oldest bodies, of the account or of all accounts, until the new body fits the account's share. */
  #keep(name: string, body: RememberedBody): void {
    const { accountId, bytes } = body;
    this.#bodies.delete(name);
    let refusal = this.#amounts.take(accountId, bytes);
    while (refusal !== null) {
      const oldest = this.#findOldest(refusal === 'full' ? undefined : accountId);
      if (oldest === undefined) return;
      this.#bodies.delete(oldest);
      refusal = this.#amounts.take(accountId, bytes);
    }
    this.#bodies.set(name, body);
  }

  #findOldest(accountId: string | undefined): string | undefined {
    for (const name of this.#bodies.rkeys())
      if (accountId === undefined || this.#bodies.peek(name)?.accountId === accountId) return name;
    return undefined;
  }

  /**
   * Returns the tag of a block and everything before the block (GMAC, NIST SP 800-38D). Tags never leave the
   * process, so the nonce may be the same for every block.
   */
  #nameBlock(before: string, block: Buffer): string {
    const cipher = createCipheriv('aes-128-gcm', this.#key, nonce);
    cipher.setAAD(Buffer.from(before)).setAAD(block).final();
    return cipher.getAuthTag().toString('latin1');
  }
}

const nonce = Buffer.alloc(12);

/** The number of messages at the start of the conversation that end before an offset. */
function countUpTo(messages: readonly MessageOutline[], offset: number): number {
  const next = messages.findIndex(({ range }) => range.end > offset);
  return next < 0 ? messages.length : next;
}

/** The number of messages at the start of the conversation that the earlier body also contains. */
function countKnown(messages: readonly MessageOutline[], { point, ranges }: RememberedBody): number {
  const knownEnd = point?.at ?? 0;
  const isChanged = ({ start, end }: ByteRange, at: number): boolean =>
    end > knownEnd || ranges[2 * at] !== start || ranges[2 * at + 1] !== end;
  const changed = messages.findIndex(({ range }, at) => isChanged(range, at));
  return changed < 0 ? messages.length : changed;
}

/** Estimates the memory in bytes for the results of a body. */
function estimateResults(messages: readonly MessageOutline[]): number {
  const turns = messages.filter(({ role }) => role === 'user').slice(0, shortTextsMax);
  const texts = turns.map(
    ({ range: { start, end } }) => bytesPerTurn + 2 * Math.min(end - start, shortTextMax),
  );
  return texts.reduce((sum, each) => sum + each, messages.length * bytesPerMessage);
}
