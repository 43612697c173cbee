import { interactiveMs } from '@gateway/contracts';
import { KeyObject } from 'node:crypto';
import { GatewayError } from '@gateway/errors';
import type { CryptoKey, RemoteJWKSet } from 'jose';
import { createRemoteJWKSet, customFetch, errors } from 'jose';
import type { EgressGuard } from '@gateway/providers';
import { Agent } from 'undici';
import { z } from 'zod';

/** Fetches the issuer's current key set. */
type FetchKeySet = (signal: AbortSignal) => Promise<unknown>;

interface VerificationKeysOptions {
  readonly fetchKeySet: FetchKeySet;
  /** How long a key set is used before it is fetched again, in milliseconds. */
  readonly freshMs?: number;
  /** Minimum time between two fetches of the key set, if a key is unknown or a fetch has failed. */
  readonly pauseMs?: number;
}

/** A placeholder address, which the library jose never calls. `fetchKeySet` provides the keys. */
const nowhere = new URL('https://key-set.invalid/');

/** An issuer's public keys, indexed by key id. Only the issuer's latest complete key set is stored. */
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
      timeoutDuration: interactiveMs,
      [customFetch]: (_url, { signal }) => this.#fetch(signal),
    });
  }

  /**
   * Returns the verification key as PEM. Returns null if the issuer has no key with this id for the
   * algorithm. Throws `service_unavailable` if the key set cannot be fetched.
   */
  async find(alg: string, kid: string): Promise<string | null> {
    try {
      return this.#render(await this.#keySet({ alg, kid }));
    } catch (error) {
      if (error instanceof errors.JWKSNoMatchingKey || error instanceof errors.JWKSMultipleMatchingKeys)
        return null;
      if (error instanceof errors.JOSENotSupported) return null;
      throw new GatewayError('service_unavailable', {
        detail: 'the keys that verify session tokens are unavailable',
        cause: error,
      });
    }
  }

  async #fetch(signal: AbortSignal): Promise<Response> {
    if (performance.now() - this.#failedAt < this.#pauseMs)
      throw new Error('the last fetch of the key set failed, and the next fetch starts after a pause');
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

const documentBytesMax = 256 * 1024;
const discovery = z.object({ issuer: z.string(), jwks_uri: z.url() });

/**
 * Fetches the key set from an OpenID Connect issuer. The address of the key set is in the issuer's discovery
 * document (OpenID Connect Discovery 1.0 §4). The egress guard must allow the addresses of the key set and of
 * the discovery document. The function does not follow redirects.
 */
export function createOidcKeySet(
  issuer: string,
  guard: EgressGuard,
): { fetchKeySet: FetchKeySet; close: () => Promise<void> } {
  const agent = new Agent({ connect: guard.connect, connections: 2, maxResponseSize: documentBytesMax });
  const fetchJson = async (address: string, signal: AbortSignal): Promise<unknown> => {
    guard.checkUrl(address);
    const { origin, pathname, search } = new URL(address);
    const answer = await agent.request({
      origin,
      path: pathname + search,
      method: 'GET',
      headers: { accept: 'application/json' },
      signal,
    });
    if (answer.statusCode === 200) return answer.body.json();
    await answer.body.dump();
    throw new GatewayError('service_unavailable', { detail: `${address} answered ${answer.statusCode}` });
  };
  const fetchKeySet: FetchKeySet = async (signal) => {
    const document = discovery.parse(
      await fetchJson(`${issuer.replace(/\/$/, '')}/.well-known/openid-configuration`, signal),
    );
    if (document.issuer !== issuer)
      throw new GatewayError('service_unavailable', {
        detail: `the discovery document names the issuer ${document.issuer}`,
      });
    return fetchJson(document.jwks_uri, signal);
  };
  return { fetchKeySet, close: () => agent.close() };
}
