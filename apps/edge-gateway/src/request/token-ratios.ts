import { LRUCache } from 'lru-cache';
import { charactersPerToken } from './token-estimates.ts';

/**
 * Factor by which each newer request multiplies the weight of earlier requests. The weighted average covers roughly
 * the last hundred requests.
 */
const decay = 0.99;
const requestsMin = 20;
/**
 * The plausible range of bytes per token for text. A request body with a ratio outside the range consists mostly of
 * images or similar data.
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
  /** The model's name, as the provider spells it. */
  readonly model: string;
}

/**
 * Measures the bytes per token of each model from an account's billed requests. Estimates from measured ratios are
 * close to the provider's count. Accounts never share measured ratios, because their texts differ. Shared ratios
 * would also allow one account to change the estimates for another account.
 */
export class TokenRatios {
  readonly #accounts = new LRUCache<string, LRUCache<string, Seen>>({ max: accountsMax });

  /**
   * Records the usage of a billed request.
   * @param tokens billed tokens of the whole input
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
   * Returns the number of body bytes per billed token. Returns a default ratio until the account has enough billed
   * requests to the model.
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

/** Renders the map key for a model. The key is unambiguous, because a provider's name has no slash. */
function renderModel(provider: string, model: string): string {
  return `${provider}/${model}`;
}
