import type { JsonTape } from '@gateway/wire-formats';
import { LRUCache } from 'lru-cache';

/**
 * Characters of English text per token, by OpenAI's rule of thumb. This rule of thumb is used if no token
 * count is available.
 */
export const charactersPerToken = 4;

/** The fields in a messages request that the model reads. */
const readFields = ['system', 'messages', 'tools'] as const;

/**
 * Estimated tokens of files. `image`: tokens for the largest image that is not scaled down (1,568 pixels;
 * Anthropic, "Vision"). `document`: maximum tokens for one page (Anthropic, "PDF support"). The number of
 * pages is unknown, so a document is counted as one page.
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

/** The recursion is bounded, because the JSON scan limits the nesting of the request. */
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
 * The factor by which each newer request reduces the weight of earlier requests. The weighted average covers
 * roughly the last hundred requests.
 */
const decay = 0.99;
const requestsMin = 20;
/**
 * The plausible range of bytes per token for text. If a ratio is implausible, the request body consists
 * mostly of images or similar data.
 */
const bytesPerTokenMin = 2;
const bytesPerTokenMax = 8;
/**
 * Maximum number of accounts with measured ratios. Above this number, the data of the least recently used
 * account is dropped.
 */
const accountsMax = 10_000;
/** Maximum number of models with measured ratios per account. */
const modelsPerAccountMax = 32;

interface Seen {
  requests: number;
  bytes: number;
  tokens: number;
}

/** The account and the model that served a request. */
export interface RatioOwner {
  readonly accountId: string;
  readonly provider: string;
  /** The model's name as the provider spells it. */
  readonly model: string;
}

/**
 * Measures the bytes per token of each model from an account's billed requests. With measured ratios,
 * estimates made before a request is sent are close to the provider's count. Accounts never share measured
 * ratios, because the texts of different accounts differ. Requests from one account must also not change the
 * estimates for another account.
 */
export class TokenRatios {
  readonly #accounts = new LRUCache<string, LRUCache<string, Seen>>({ max: accountsMax });

  /**
   * Records a billed request.
   * @param tokens billed tokens for the whole input
   */
  note(owner: RatioOwner, bytes: number, tokens: number): void {
    const ratio = bytes / tokens;
    if (!(ratio >= bytesPerTokenMin && ratio <= bytesPerTokenMax)) return;
    const seen = this.#know(owner);
    seen.requests += 1;
    seen.bytes = seen.bytes * decay + bytes;
    seen.tokens = seen.tokens * decay + tokens;
  }

  /**
   * Returns the billed number of bytes per token. Returns the rule of thumb until the account has enough
   * billed requests to the model.
   */
  bytesPerToken({ accountId, provider, model }: RatioOwner): number {
    const seen = this.#accounts.get(accountId)?.get(renderModel(provider, model));
    return seen === undefined || seen.requests < requestsMin ? charactersPerToken : seen.bytes / seen.tokens;
  }

  #know({ accountId, provider, model }: RatioOwner): Seen {
    let models = this.#accounts.get(accountId);
    if (models === undefined) {
      models = new LRUCache({ max: modelsPerAccountMax });
      this.#accounts.set(accountId, models);
    }
    const name = renderModel(provider, model);
    let seen = models.get(name);
    if (seen === undefined) {
      seen = { requests: 0, bytes: 0, tokens: 0 };
      models.set(name, seen);
    }
    return seen;
  }
}

/**
 * Renders the map key of a model. The map key of a model is unambiguous, because a provider's name has no
 * slash.
 */
function renderModel(provider: string, model: string): string {
  return `${provider}/${model}`;
}
