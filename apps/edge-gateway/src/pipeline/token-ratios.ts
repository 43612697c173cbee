import { charactersPerToken } from './characters-per-token.ts';

/** One more request counts this much less than the one after it: about the last hundred tell. */
const decay = 0.99;
const requestsMin = 20;
/** Outside of these a body is mostly images or the like, and tells nothing of text. */
const bytesPerTokenMin = 2;
const bytesPerTokenMax = 8;
/** There are some tens of providers; a table that grows with what clients send would have to have a bound. */
const providersMax = 256;

interface Seen {
  requests: number;
  bytes: number;
  tokens: number;
}

/**
 * How many bytes of a body make a token, by provider, learned from what providers bill: so that estimates made before a request
 * is sent come close to what its provider will count.
 */
export class TokenRatios {
  readonly #seen = new Map<string, Seen>();

  /** @param tokens as billed for the whole input. */
  note(provider: string, bytes: number, tokens: number): void {
    const ratio = bytes / tokens;
    if (!(ratio >= bytesPerTokenMin && ratio <= bytesPerTokenMax)) return;
    const seen = this.#seen.get(provider) ?? { requests: 0, bytes: 0, tokens: 0 };
    if (!this.#seen.has(provider) && this.#seen.size >= providersMax) return;
    this.#seen.set(provider, seen);
    seen.requests += 1;
    seen.bytes = seen.bytes * decay + bytes;
    seen.tokens = seen.tokens * decay + tokens;
  }

  bytesPerToken(provider: string | null): number {
    const seen = provider === null ? undefined : this.#seen.get(provider);
    return seen === undefined || seen.requests < requestsMin ? charactersPerToken : seen.bytes / seen.tokens;
  }
}
