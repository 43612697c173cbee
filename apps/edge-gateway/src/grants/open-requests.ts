import type { KeyGrant } from '@gateway/contracts';
import { GatewayError, type ErrorCode } from '@gateway/errors';
import type { Logger } from '@gateway/observability';
import type { EpochReader } from './epoch-reader.port.ts';
import type { GrantCache, GrantChange } from './grant-cache.ts';
import { pipelineScope } from './grant-cache.ts';

/** An accepted request without a finished response. */
export interface OpenRequest {
  readonly abort: AbortController;
  readonly openedAtMs: number;
  /** The grant of the request's API key at the time of the last check. */
  grant: KeyGrant;
  /** Whether the API key may have changed since the last check of its grant. */
  isDoubtful: boolean;
  /** Epoch of a possible change to the API key. Zero if the epoch is unknown. */
  doubtfulEpoch: number;
}

export interface OpenRequestsOptions {
  readonly grants: GrantCache;
  readonly epochs: EpochReader;
  readonly log: Pick<Logger, 'info'>;
  readonly now?: () => number;
}

/**
 * Interval between two checks of the open requests. The requests of a revoked key must end within five seconds,
 * so this interval plus the lookup must be shorter.
 */
const checkEveryMs = 1_000;
/**
 * Maximum number of concurrent grant lookups. After the message bus reconnects, the grants of all keys with
 * open requests are looked up.
 */
const lookupsMax = 16;

/**
 * The open requests of each API key. When a key is revoked, expires or loses the scope `inference`, the key's
 * requests end with a matching error. The registry stores only references to requests that the server already
 * holds, so it needs little memory. A broadcast of a revocation ends the requests of the key immediately. Every
 * second, a check detects keys that have expired or that were changed. If a broadcast was lost, the change is
 * still detected, because the check reads the epochs (change numbers) of the keys from Redis. While both the account service and
 * Redis are unavailable, open requests continue and new requests are rejected.
 */
export class OpenRequests {
  readonly #options: OpenRequestsOptions;
  readonly #now: () => number;
  readonly #byKey = new Map<string, Set<OpenRequest>>();
  readonly #timer: NodeJS.Timeout;
  #reading: Promise<void> | undefined;
  #confirming: Promise<void> | undefined;

  constructor(options: OpenRequestsOptions) {
    this.#options = options;
    this.#now = options.now ?? Date.now;
    options.grants.onChange((change) => this.#note(change));
    options.grants.onDoubt(() => this.#doubt(this.#all()));
    this.#timer = setInterval(() => void this.check(), checkEveryMs).unref();
  }

  /**
   * Registers an open request.
   * @param grant the API key's grant when the request was accepted
   */
  add(abort: AbortController, grant: KeyGrant): OpenRequest {
    // The API key may have been changed during the rate limit check.
    // A broadcast during the rate limit check could not mark this request, because the request was not registered yet.
    const isDoubtful = !this.#options.grants.holds(grant);
    const request = { abort, grant, openedAtMs: this.#now(), isDoubtful, doubtfulEpoch: 0 };
    const ofKey = this.#byKey.get(grant.keyId);
    if (ofKey) ofKey.add(request);
    else this.#byKey.set(grant.keyId, new Set([request]));
    return request;
  }

  remove(request: OpenRequest): void {
    const { keyId } = request.grant;
    const ofKey = this.#byKey.get(keyId);
    ofKey?.delete(request);
    if (ofKey?.size === 0) this.#byKey.delete(keyId);
  }

  close(): void {
    clearInterval(this.#timer);
  }

  /**
   * Ends the open requests of API keys without a valid grant. The promise resolves when the checks are done. Checks
   * that are not possible at the moment are skipped, and the promise never rejects.
   */
  async check(): Promise<void> {
    if (this.#byKey.size === 0) return;
    this.#endExpired();
    await (this.#reading ??= this.#readEpochs().finally(() => (this.#reading = undefined)));
    // Grant lookups run separately from the epoch check, because a lookup takes seconds if the message bus does not respond.
    // Other API keys may be revoked during a lookup.
    await (this.#confirming ??= this.#confirm().finally(() => (this.#confirming = undefined)));
  }

  #endExpired(): void {
    const now = this.#now();
    for (const request of this.#all()) {
      const { expiresAt } = request.grant;
      if (expiresAt !== null && Date.parse(expiresAt) <= now) this.#end([request], 'expired_api_key');
    }
  }

  #all(): OpenRequest[] {
    return [...this.#byKey.values()].flatMap((requests) => [...requests]);
  }

  #note({ accountId, keyId, isFinal }: GrantChange): void {
    const found =
      keyId === null
        ? this.#all().filter(({ grant }) => grant.accountId === accountId)
        : [...(this.#byKey.get(keyId) ?? [])];
    if (isFinal) this.#end(found, 'invalid_api_key');
    else this.#doubt(found);
  }

  #doubt(requests: readonly OpenRequest[]): void {
    for (const request of requests) request.isDoubtful = true;
  }

  /**
   * Ends the requests of revoked keys, and marks the requests of changed keys. Requests that started within the
   * last second are skipped. The rate limiter read the epoch when the request started.
   */
  async #readEpochs(): Promise<void> {
    const before = this.#now() - checkEveryMs;
    const keys = [...this.#byKey.values()].flatMap((requests) => {
      const [oldest] = requests;
      return oldest !== undefined && oldest.openedAtMs <= before ? [oldest.grant] : [];
    });
    const epochs = keys.length === 0 ? null : await this.#options.epochs.read(keys);
    for (const [at, epoch] of (epochs ?? []).entries()) {
      if (epoch === 0) continue;
      const requests = [...(this.#byKey.get(keys[at]?.keyId ?? '') ?? [])];
      const older = requests.filter(({ grant }) => this.#options.grants.isBefore(grant, epoch));
      if (epoch < 0) this.#end(older, 'invalid_api_key');
      for (const request of older) Object.assign(request, { isDoubtful: true, doubtfulEpoch: epoch });
    }
  }

  async #confirm(): Promise<void> {
    const doubtful = this.#all().filter(({ isDoubtful }) => isDoubtful);
    const byGrant = [...Map.groupBy(doubtful, ({ grant }) => grant)];
    for (let at = 0; at < byGrant.length; at += lookupsMax) {
      const batch = byGrant.slice(at, at + lookupsMax);
      await Promise.all(batch.map(([grant, requests]) => this.#confirmGrant(grant, requests)));
    }
  }

  async #confirmGrant(grant: KeyGrant, requests: readonly OpenRequest[]): Promise<void> {
    const { grants } = this.#options;
    const epoch = Math.max(...requests.map(({ doubtfulEpoch }) => doubtfulEpoch));
    // `isDoubtful` is cleared before the lookup, because a change during the lookup may set it again.
    for (const request of requests) request.isDoubtful = false;
    try {
      const confirmed = await (epoch > 0 ? grants.renew(grant, epoch) : grants.current(grant));
      if (!confirmed.scopes.includes(pipelineScope)) this.#end(requests, 'insufficient_scope');
      else for (const request of requests) Object.assign(request, { grant: confirmed, doubtfulEpoch: 0 });
    } catch (error) {
      if (error instanceof GatewayError && error.code === 'invalid_api_key') this.#end(requests, error.code);
      else this.#doubt(requests);
    }
  }

  #end(requests: readonly OpenRequest[], code: ErrorCode): void {
    for (const request of requests) {
      this.remove(request);
      request.abort.abort(new GatewayError(code));
    }
    const [first] = requests;
    if (first === undefined) return;
    const { keyId, accountId } = first.grant;
    const fields = { account_id: accountId, key_id: keyId, requests: requests.length, code };
    this.#options.log.info(fields, 'ended open requests: their key is revoked, expired or lost its scope');
  }
}
