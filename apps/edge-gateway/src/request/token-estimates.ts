import type { JsonTape } from '@gateway/wire-formats';

/** Characters of English text per token, by OpenAI's rule of thumb; for estimates where nobody counted. */
export const charactersPerToken = 4;

/** The fields of a messages request that a model reads. */
const readFields = ['system', 'messages', 'tools'] as const;

/**
 * What an image comes to at the largest size that is not scaled down (1,568 pixels; Anthropic, "Vision"), and a page of
 * a document at most (Anthropic, "PDF support"). How many pages there are is not known: a document counts as one.
 */
const tokensPerFile = { image: 1600, document: 3000 } as const;

/** The input tokens of a messages request, by rule of thumb: for providers that have no way to ask. */
export function estimateTokens(tape: JsonTape): number {
  const sum = { characters: 0, fileTokens: 0 };
  for (const field of readFields) {
    const node = tape.get(tape.root, field);
    if (node !== undefined) addValue(tape.value(node), sum);
  }
  return Math.ceil(sum.characters / charactersPerToken) + sum.fileTokens;
}

interface Sum {
  characters: number;
  fileTokens: number;
}

/** The scan has bounded how deep a value may be nested. */
function addValue(value: unknown, sum: Sum): void {
  if (typeof value !== 'object' || value === null) {
    sum.characters += String(value).length;
  } else if (Array.isArray(value)) {
    for (const item of value) addValue(item, sum);
  } else {
    addObject(value as Record<string, unknown>, sum);
  }
}

function addObject(object: Record<string, unknown>, sum: Sum): void {
  const { type, source } = object;
  if ((type === 'image' || type === 'document') && !isText(source)) {
    sum.fileTokens += tokensPerFile[type];
    return;
  }
  for (const [name, member] of Object.entries(object)) {
    sum.characters += name.length;
    addValue(member, sum);
  }
}

/** A document may also be plain text, or blocks of content. */
function isText(source: unknown): boolean {
  if (typeof source !== 'object' || source === null || !('type' in source)) return false;
  return source.type === 'text' || source.type === 'content';
}

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
