import { createCipheriv, randomBytes } from 'node:crypto';
import type { ByteRange, MessageOutline } from '@gateway/interchange';
import type { JsonTape, ScanPoint } from '@gateway/wire-formats';
import { LRUCache } from 'lru-cache';

/** Agents repeat the whole conversation in every request. Bodies are compared in blocks of this number of bytes. */
const blockBytes = 128 * 1024;
/** Number of the last blocks under which a body is found again. Clients change the end of a conversation. */
const namesMax = 2;
/** Maximum memory of all remembered bodies in bytes. */
const rememberedBytesMax = 64 * 1024 * 1024;
/** Estimated memory for one message in bytes, and maximum length of a message's short text. */
const [bytesPerMessage, shortTextBytesMax] = [400, 1_000];

/** Results that depend only on the messages of a body. Lists are indexed by message. */
interface Results {
  readonly shortTexts: (string | undefined)[];
  /** Hashes of the conversation up to each message, by the parameter of `KnownMessages.chainFrom`. */
  readonly chains: Map<string, Buffer[]>;
}

const noResults: Results = { shortTexts: [], chains: new Map() };

/** The start of a body up to the end of a block. The bytes of the body are not kept. */
interface RememberedBody {
  /** The last position in these blocks at which a scan can start. */
  readonly point: ScanPoint | undefined;
  readonly messages: readonly ByteRange[];
  readonly results: Results;
  /** Approximate memory in bytes. */
  readonly bytes: number;
}

/** A body whose first blocks are compared with earlier bodies of the account. */
interface ComparedBody {
  /** Names of the body's first block, its first two blocks, and so on. */
  readonly names: readonly string[];
  /** The longest start of the body that is known from an earlier body. */
  readonly earlier: RememberedBody | undefined;
}

const newBody: ComparedBody = { names: [], earlier: undefined };

/**
 * The messages of a request, and the results for messages that an earlier request also contained. The messages have
 * the same bytes in both requests.
 */
export class KnownMessages {
  readonly #results: Results = { shortTexts: [], chains: new Map() };
  readonly #earlier: Results;
  readonly #count: number;

  /** @param count number of messages at the start of the conversation for which `earlier` has results */
  constructor(count = 0, earlier = noResults) {
    this.#count = count;
    this.#earlier = earlier;
  }

  get results(): Results {
    return this.#results;
  }

  /** Returns the short text of a message. `shorten` is called only if the text is not known. */
  shortText(message: number, shorten: () => string): string {
    const known = message < this.#count ? this.#earlier.shortTexts[message] : undefined;
    const text = known ?? shorten();
    this.#results.shortTexts[message] = text;
    return text;
  }

  /**
   * Returns the hashes of the conversation up to each message, for the messages with a known hash. The caller adds
   * the missing hashes to the list. Later calls return the same list.
   * @param start identifies the kind of the hashes, and everything that they cover before the first message
   */
  chainFrom(start: string): Buffer[] {
    const { chains } = this.#results;
    const chain = chains.get(start) ?? this.#earlier.chains.get(start)?.slice(0, this.#count) ?? [];
    chains.set(start, chain);
    return chain;
  }
}

/**
 * Recognizes request bodies that start like an earlier body of the same account. The gateway then reads only the
 * rest of the body. Bodies are identified by authentication tags under a random key of this process.
 */
export class KnownBodies {
  readonly #key = randomBytes(16);
  readonly #bodies = new LRUCache<string, RememberedBody>({
    maxSize: rememberedBytesMax,
    sizeCalculation: ({ bytes }) => bytes,
  });

  /**
   * Compares a body with earlier bodies. The running time is linear in the size of the body.
   * @param owner the account, and the format of the body
   */
  compare(owner: string, bytes: Buffer): ComparedBody {
    if (bytes.length < 2 * blockBytes) return newBody;
    const names: string[] = [];
    for (let end = blockBytes; end <= bytes.length; end += blockBytes)
      names.push(this.#nameBlock(names.at(-1) ?? owner, bytes.subarray(end - blockBytes, end)));
    const known = names.findLast((name) => this.#bodies.has(name));
    return { names, earlier: known === undefined ? undefined : this.#bodies.get(known) };
  }

  /** Remembers a body after it was scanned. Returns its messages, with the results for known messages. */
  remember(
    { names, earlier }: ComparedBody,
    tape: JsonTape,
    outlines: readonly MessageOutline[],
  ): KnownMessages {
    const messages = outlines.map(({ range }) => range);
    const knownEnd = earlier?.point?.at ?? 0;
    const changed = messages.findIndex(({ start, end }, at) => {
      const other = earlier?.messages[at];
      return end > knownEnd || other?.start !== start || other.end !== end;
    });
    const count = changed < 0 ? messages.length : changed;
    const known = new KnownMessages(count, earlier?.results);
    const lengths = messages.map(({ start, end }) => Math.min(end - start, shortTextBytesMax));
    const bytes = lengths.reduce((sum, length) => sum + bytesPerMessage + length, tape.memoryBytes);
    for (const [at, name] of [...names.entries()].slice(-namesMax)) {
      const point = tape.pointBefore((at + 1) * blockBytes);
      this.#bodies.set(name, { point, messages, results: known.results, bytes });
    }
    return known;
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
