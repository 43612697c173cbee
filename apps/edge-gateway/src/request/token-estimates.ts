import type { JsonTape } from '@gateway/wire-formats';

/**
 * Characters of English text per token, by OpenAI's rule of thumb. Used where no token count is available.
 */
export const charactersPerToken = 4;

/** The fields in a messages request that the model sees. */
const readFields = ['system', 'messages', 'tools'] as const;

/**
 * `image`: tokens for the largest image that is not scaled down (1,568 pixels; Anthropic, "Vision").
 * `document`: max tokens for one page (Anthropic, "PDF support"). The page count is unknown, so a document
 * counts as one page.
 */
const tokensPerFile = { image: 1600, document: 3000 } as const;

/** Estimates the input tokens of a messages request, for providers without a counting endpoint. */
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

/** Recursion is bounded, because the JSON scan limits nesting. */
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

/** A document's source may also be plain text or content blocks. */
function isText(source: unknown): boolean {
  if (typeof source !== 'object' || source === null || !('type' in source)) return false;
  return source.type === 'text' || source.type === 'content';
}

/**
 * The weight of each request relative to the next one. The average covers roughly the last hundred requests.
 */
const decay = 0.99;
const requestsMin = 20;
/** Outside this range, a body consists mostly of images or similar data and says nothing about text. */
const bytesPerTokenMin = 2;
const bytesPerTokenMax = 8;
/** There are a few dozen providers. The limit keeps client input from growing the table. */
const providersMax = 256;

interface Seen {
  requests: number;
  bytes: number;
  tokens: number;
}

/**
 * Learns each provider's bytes per token from billed requests. Estimates made before a request is sent are
 * then close to the provider's count.
 */
export class TokenRatios {
  readonly #seen = new Map<string, Seen>();

  /** @param tokens billed tokens for the whole input */
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
