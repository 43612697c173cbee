import { countDefinitions } from '@gateway/contracts';
import { cutForMessages, type Messaging } from '@gateway/messaging';
import { LRUCache } from 'lru-cache';

/** A tool definition to count. The field `text` is read only if the definition's token count is not known. */
export interface CountedDefinition {
  /** SHA-256 of the definition's text, in hex. */
  readonly hash: string;
  readonly text: () => string;
}

/**
 * Token counts of tool definitions, counted with the o200k tokenizer. A token count is null if the tokens of
 * the definition were not counted.
 */
export type TokenCounts = readonly (number | null)[];

const knownMax = 200_000;
/**
 * Maximum number of bytes of definitions in one call to the compressor. The message bus allows 8 MiB per message,
 * including the framing.
 */
const textBytesMax = 6 * 1024 * 1024;

/**
 * Returns the token counts of tool definitions. The compressor counts the tokens while the provider is
 * processing the request. Agents send the same definitions in every request, so most token counts are already known.
 */
export class ToolTokens {
  readonly #messaging: Pick<Messaging, 'call'>;
  // With `max`, LRUCache reserves memory for all entries. With `maxSize`, LRUCache reserves no memory in advance.
  readonly #known = new LRUCache<string, number>({ maxSize: knownMax, sizeCalculation: () => 1 });

  constructor(messaging: Pick<Messaging, 'call'>) {
    this.#messaging = messaging;
  }

  /**
   * Returns the token count of each definition, or a promise if some counts are still unknown. A token count
   * is null if the compressor is unavailable or overloaded, or if the definitions are too long. The promise
   * never rejects.
   */
  count(accountId: string, definitions: readonly CountedDefinition[]): TokenCounts | Promise<TokenCounts> {
    const known = this.#read(definitions);
    return known.includes(null) ? this.#ask(accountId, definitions) : known;
  }

  #read(definitions: readonly CountedDefinition[]): TokenCounts {
    return definitions.map(({ hash }) => this.#known.get(hash) ?? null);
  }

  async #ask(accountId: string, definitions: readonly CountedDefinition[]): Promise<TokenCounts> {
    const missing = new Map<string, string>();
    let bytes = 0;
    for (const { hash, text } of definitions) {
      if (this.#known.has(hash) || missing.has(hash)) continue;
      const own = text();
      bytes += Buffer.byteLength(own);
      if (bytes > textBytesMax) break;
      missing.set(hash, own);
    }
    try {
      for (const group of cutForMessages([...missing], ([, text]) => Buffer.byteLength(text))) {
        const call = { accountId, definitions: group.map(([, text]) => text) };
        const { tokens } = await this.#messaging.call(countDefinitions, call);
        for (const [at, [hash]] of group.entries()) {
          const count = tokens[at];
          if (count !== undefined) this.#known.set(hash, count);
        }
      }
    } catch {
      // If the compressor does not respond, the counts stay unknown. The next request calls the compressor again.
    }
    return this.#read(definitions);
  }
}
