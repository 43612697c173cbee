import { KeyObject } from 'node:crypto';
import { GatewayError } from '@gateway/errors';
import { createRemoteJWKSet, customFetch, errors, type CryptoKey, type RemoteJWKSet } from 'jose';

/** Gets the issuer's key set, as it is now. */
export type FetchKeySet = (signal: AbortSignal) => Promise<unknown>;

export interface VerificationKeysOptions {
  readonly fetchKeySet: FetchKeySet;
  /** How long a key set is used without asking again. */
  readonly freshMs?: number;
  /** An unknown key makes us ask again, but no sooner than this after the last time; nor does a failure. */
  readonly pauseMs?: number;
}

const fetchWithinMs = 5_000;
/** jose wants an address. It is never called: where keys come from is `fetchKeySet`'s to know. */
const nowhere = new URL('https://key-set.invalid/');

/** The public keys of an issuer, by key id. The set is kept whole, one set at a time; ids only compare with ids in it. */
export class VerificationKeys {
  readonly #keySet: RemoteJWKSet;
  readonly #fetchKeySet: FetchKeySet;
  readonly #pauseMs: number;
  readonly #rendered = new WeakMap<CryptoKey, string>();
  #failedAt = -Infinity;

  constructor({ fetchKeySet, freshMs = 600_000, pauseMs = 10_000 }: VerificationKeysOptions) {
    this.#fetchKeySet = fetchKeySet;
    this.#pauseMs = pauseMs;
    this.#keySet = createRemoteJWKSet(nowhere, {
      cacheMaxAge: freshMs,
      cooldownDuration: pauseMs,
      timeoutDuration: fetchWithinMs,
      [customFetch]: (_url, { signal }) => this.#fetch(signal),
    });
  }

  /** The key as PEM; null if the issuer has none by that id for that algorithm. Throws `service_unavailable` when it cannot be asked. */
  async find(alg: string, kid: string): Promise<string | null> {
    try {
      return this.#render(await this.#keySet({ alg, kid }));
    } catch (error) {
      if (error instanceof errors.JWKSNoMatchingKey || error instanceof errors.JWKSMultipleMatchingKeys)
        return null;
      if (error instanceof errors.JOSENotSupported) return null;
      throw new GatewayError('service_unavailable', {
        detail: 'no keys to verify sessions with',
        cause: error,
      });
    }
  }

  async #fetch(signal: AbortSignal): Promise<Response> {
    if (performance.now() - this.#failedAt < this.#pauseMs)
      throw new Error('the issuer did not answer just now');
    try {
      return Response.json(await this.#fetchKeySet(signal));
    } catch (error) {
      this.#failedAt = performance.now();
      throw error;
    }
  }

  #render(key: CryptoKey): string {
    const known = this.#rendered.get(key);
    if (known !== undefined) return known;
    const pem = KeyObject.from(key).export({ type: 'spki', format: 'pem' }).toString();
    this.#rendered.set(key, pem);
    return pem;
  }
}
