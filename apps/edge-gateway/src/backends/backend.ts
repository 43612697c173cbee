import { CircuitState, ConsecutiveBreaker, ExponentialBackoff, SamplingBreaker } from 'cockatiel';
import type { Failure } from './failure.ts';

/** The name of a backend, which consists of a provider, an account, and one of the account's credentials. */
export interface BackendName {
  readonly accountId: string;
  readonly provider: string;
  /**
   * Index of the credential among the account's credentials for this provider. Null for a credential that
   * arrived in a request.
   */
  readonly credential: number | null;
}

/**
 * A backend for each of the account's stored credentials. Gateway processes broadcast the state changes of
 * backends with stored credentials.
 */
export interface StoredBackendName extends BackendName {
  readonly credential: number;
}

/**
 * The readiness of a backend. A `ready` backend may be called. For a `cooling` backend, the provider
 * requested a pause. An `open` backend has an open circuit breaker. A `full` backend has reached its limit of
 * concurrent calls.
 */
export type BackendState = 'ready' | 'cooling' | 'open' | 'full';

/** A state change of a backend, which is reported to metrics and to the other gateway processes. */
export type BackendNews =
  { readonly kind: 'opened' | 'closed' } | { readonly kind: 'cooling'; readonly forMs: number };

interface BackendOptions {
  readonly name: BackendName;
  /** Maximum number of concurrent calls to the backend. */
  readonly inFlightMax: number;
  readonly onNews: (news: BackendNews, backend: Backend) => void;
  readonly now?: () => number;
}

/** Delay between two probes, which grows from about one second to ten seconds and varies randomly. */
const waits = new ExponentialBackoff({ initialDelay: 1_000, maxDelay: 10_000 });
const waitMsMin = 500;
/** Number of requests routed to other backends after which an open breaker sends a probe. */
const skipsBeforeProbe = 5;
/** Time after which an open breaker sends a probe if requests are rare, in milliseconds. */
const unhurriedMs = 10_000;
/** Time without a failure after which a backend's failure history is discarded, in milliseconds. */
const forgetMs = 30_000;

type Wait = ReturnType<typeof waits.next>;

/** The state of a backend with recent failures. */
interface Trouble {
  readonly rules: TripRules;
  lastFailureAt: number;
  isOpen: boolean;
  probeWait: Wait;
  /** Earliest time of the next probe while the breaker is open. */
  probeAt: number;
  /** Number of requests routed to other backends since the last probe request. */
  skips: number;
  coolWait: Wait;
  coolUntil: number;
}

/**
 * Circuit breaker and concurrency limit for one backend. A backend without failures needs little memory (one
 * number), and each call to the backend costs two comparisons. While the breaker is open, an occasional request
 * is sent as a probe, and a successful probe closes the breaker. The next probe is scheduled when the previous
 * probe starts, so a hanging probe does not delay the next probe.
 */
export class Backend {
  readonly name: BackendName;
  readonly #inFlightMax: number;
  readonly #onNews: BackendOptions['onNews'];
  readonly #now: () => number;
  #trouble: Trouble | undefined;
  #inFlight = 0;

  constructor({ name, inFlightMax, onNews, now = Date.now }: BackendOptions) {
    this.name = name;
    this.#inFlightMax = inFlightMax;
    this.#onNews = onNews;
    this.#now = now;
  }

  get inFlight(): number {
    return this.#inFlight;
  }

  get isOpen(): boolean {
    return this.#trouble?.isOpen ?? false;
  }

  state(): BackendState {
    if (this.#inFlight >= this.#inFlightMax) return 'full';
    return this.#trouble === undefined ? 'ready' : stateOf(this.#trouble, this.#now());
  }

  /** Time until a backend in the state `cooling`, `open` or `full` may become ready, in milliseconds. */
  get waitMs(): number {
    const { coolUntil = 0, probeAt = 0, isOpen = false } = this.#trouble ?? {};
    return Math.max(0, (isOpen ? Math.max(probeAt, coolUntil) : coolUntil) - this.#now());
  }

  /** Records the start of a call to the backend. Returns true if the call is a probe, that is, if the breaker is open. */
  begin(): boolean {
    this.#inFlight += 1;
    if (!this.#trouble?.isOpen) return false;
    this.#planProbe(this.#trouble);
    return true;
  }

  /** Counts a request that was routed to another backend. */
  skip(): void {
    if (this.#trouble) this.#trouble.skips += 1;
  }

  /** Records the end of a call to the backend, regardless of its outcome. */
  end(): void {
    this.#inFlight -= 1;
  }

  /**
   * Records a call that ended with a valid response, or with an error that the request caused. A call that
   * started before the circuit breaker opened does not close the breaker.
   */
  noteSuccess(isProbe = false): void {
    const trouble = this.#trouble;
    if (trouble === undefined || (trouble.isOpen && !isProbe)) return;
    if (trouble.isOpen) {
      this.#trouble = undefined;
      this.#onNews({ kind: 'closed' }, this);
      return;
    }
    trouble.rules.noteSuccess();
    const now = this.#now();
    if (now - trouble.lastFailureAt > forgetMs && trouble.coolUntil <= now) this.#trouble = undefined;
  }

  /**
   * Pauses a backend that throttles or rejects a call. The circuit breaker stays closed, because the backend
   * itself is working.
   */
  noteFailure({ kind, retryAfterMs }: Pick<Failure, 'kind' | 'retryAfterMs'>): void {
    const trouble = this.#knowTrouble();
    trouble.lastFailureAt = this.#now();
    if (kind === 'throttled' || retryAfterMs !== undefined) this.#cool(trouble, retryAfterMs ?? 0);
    const isWell = kind === 'throttled' || kind === 'refused';
    if (isWell || trouble.isOpen || !trouble.rules.noteFailure()) return;
    trouble.isOpen = true;
    this.#planProbe(trouble);
    this.#onNews({ kind: 'opened' }, this);
  }

  /**
   * Applies a state change of the backend that another gateway process broadcast. A pause requested by the provider
   * applies to all gateway processes. Another process may have opened its circuit breaker for a reason that does
   * not affect this process. The next call from this process is a probe. The outcome of the probe opens or closes
   * the local circuit breaker.
   */
  hear(news: BackendNews): void {
    if (news.kind === 'cooling') {
      const trouble = this.#knowTrouble();
      trouble.coolUntil = Math.max(trouble.coolUntil, this.#now() + news.forMs);
    } else if (news.kind === 'opened' && !this.isOpen) {
      Object.assign(this.#knowTrouble(), { isOpen: true, ...this.#probeNow() });
    } else if (news.kind === 'closed' && this.#trouble) {
      Object.assign(this.#trouble, this.#probeNow());
    }
  }

  /** Resets the state of the backend after its credential was replaced. */
  reset(): void {
    if (this.isOpen) this.#onNews({ kind: 'closed' }, this);
    this.#trouble = undefined;
  }

  #knowTrouble(): Trouble {
    return (this.#trouble ??= {
      rules: new TripRules(),
      lastFailureAt: this.#now(),
      isOpen: false,
      probeWait: waits.next(),
      probeAt: 0,
      skips: 0,
      coolWait: waits.next(),
      coolUntil: 0,
    });
  }

  #planProbe(trouble: Trouble): void {
    trouble.probeWait = trouble.probeWait.next(undefined);
    trouble.probeAt = this.#now() + Math.max(waitMsMin, trouble.probeWait.duration);
    trouble.skips = 0;
  }

  #probeNow(): Pick<Trouble, 'probeAt' | 'skips'> {
    return { probeAt: this.#now(), skips: skipsBeforeProbe };
  }

  /**
   * Pauses calls to the backend for at least the requested time. While the provider keeps throttling calls, each
   * pause is longer than the previous pause.
   */
  #cool(trouble: Trouble, askedMs: number): void {
    const now = this.#now();
    // If several concurrent calls fail, only the first failure lengthens the pause.
    if (now >= trouble.coolUntil) trouble.coolWait = trouble.coolWait.next(undefined);
    const forMs = Math.round(Math.max(askedMs, 2 * waitMsMin, trouble.coolWait.duration));
    if (now + forMs <= trouble.coolUntil + 250) return;
    trouble.coolUntil = now + forMs;
    this.#onNews({ kind: 'cooling', forMs }, this);
  }
}

function stateOf({ isOpen, probeAt, skips, coolUntil }: Trouble, now: number): BackendState {
  const dueAt = skips >= skipsBeforeProbe ? probeAt : probeAt + unhurriedMs;
  if (isOpen && now < dueAt) return 'open';
  return now < coolUntil ? 'cooling' : 'ready';
}

/** Number of consecutive failures that open a circuit breaker. */
const failuresInARow = 5;
/** The circuit breaker also opens if more than half of at least twenty calls within ten seconds fail. */
const sample = { threshold: 0.5, duration: 10_000, minimumRps: 2 } as const;

/**
 * Decides when failures open the circuit breaker. The breaker opens after too many consecutive failures. The
 * breaker also opens if too large a share of recent calls has failed.
 */
class TripRules {
  readonly #rules = [new ConsecutiveBreaker(failuresInARow), new SamplingBreaker(sample)];

  noteSuccess(): void {
    for (const rule of this.#rules) rule.success(CircuitState.Closed);
  }

  /**
   * Records the outcome of a call for both failure policies of the circuit breaker. Returns true if this
   * failure opens the circuit breaker.
   */
  noteFailure(): boolean {
    return this.#rules.map((rule) => rule.failure(CircuitState.Closed)).includes(true);
  }
}
