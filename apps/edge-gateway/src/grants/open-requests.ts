import type { KeyGrant } from '@gateway/contracts';
import { GatewayError, type ErrorCode } from '@gateway/errors';
import type { Logger } from '@gateway/observability';
import type { EpochReader } from './epoch-reader.port.ts';
import type { GrantCache, GrantChange } from './grant-cache.ts';

/** A request between its acceptance and the end of its answer. */
export interface OpenRequest {
  readonly abort: AbortController;
  readonly openedAtMs: number;
  /** What its key may do, as it was last confirmed. */
  grant: KeyGrant;
  /** Whether the key may have changed since. */
  isDoubtful: boolean;
  /** The epoch of the change in doubt; 0 when it is not known. */
  doubtfulEpoch: number;
}

export interface OpenRequestsOptions {
  readonly grants: GrantCache;
  readonly epochs: EpochReader;
  readonly log: Pick<Logger, 'info'>;
  readonly now?: () => number;
}

/** Together with the time that a question takes this stays well within the five seconds of decisions.md. */
const checkEveryMs = 1_000;
/** Questions asked at a time: after a cut every key with an open request is asked about. */
const asksAtOnceMax = 16;

/**
 * The requests that are open, by their keys: a key that is revoked or expires ends them, with an error that says so.
 * Holds no more than the requests themselves, which the server holds anyway.
 *
 * A broadcast ends them at once. Each second the rest is made up for: expiry, changes whose broadcast did not come (their
 * epochs are in Redis), and changes that are no revocation but may take the key's right away all the same. While neither
 * the account service nor Redis can be asked, open requests go on; new ones are refused.
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

  /** @param grant as the request was let in with. */
  add(abort: AbortController, grant: KeyGrant): OpenRequest {
    // A change that came while the request waited for its rate limit found nothing here to end.
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

  /** Ends what has lost its right. Settles when all that can be known is; never rejects. */
  async check(): Promise<void> {
    if (this.#byKey.size === 0) return;
    this.#endExpired();
    await (this.#reading ??= this.#readEpochs().finally(() => (this.#reading = undefined)));
    // Apart from the rest: while the bus is silent a question takes seconds, in which other keys may be revoked.
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

  /** A younger request has just been told its epoch by its rate limit. */
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
    for (let at = 0; at < byGrant.length; at += asksAtOnceMax) {
      const asked = byGrant.slice(at, at + asksAtOnceMax);
      await Promise.all(asked.map(([grant, requests]) => this.#confirmGrant(grant, requests)));
    }
  }

  async #confirmGrant(grant: KeyGrant, requests: readonly OpenRequest[]): Promise<void> {
    const { grants } = this.#options;
    const epoch = Math.max(...requests.map(({ doubtfulEpoch }) => doubtfulEpoch));
    // Cleared first: a change that comes during the question puts them in doubt again.
    for (const request of requests) request.isDoubtful = false;
    try {
      const confirmed = await (epoch > 0 ? grants.renew(grant, epoch) : grants.current(grant));
      for (const request of requests) Object.assign(request, { grant: confirmed, doubtfulEpoch: 0 });
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
    this.#options.log.info(fields, 'open requests were ended: their key may do nothing any more');
  }
}
