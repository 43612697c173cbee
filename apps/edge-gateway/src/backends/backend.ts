import { CircuitState, ConsecutiveBreaker, ExponentialBackoff, SamplingBreaker } from 'cockatiel';
import type { Failure } from './failure.ts';

/** A provider as one account reaches it with one of its credentials. */
export interface BackendName {
  readonly accountId: string;
  readonly provider: string;
  /** Position of the credential among those of the account for the provider. */
  readonly credential: number;
}

/**
 * Whether a backend may be called: `ready`; `cooling` after it asked for a pause; `open` while its breaker is; `full` with
 * as many calls under way as it may have.
 */
export type BackendState = 'ready' | 'cooling' | 'open' | 'full';

/** What a backend tells of: for metrics, and for the other replicas. */
export type BackendNews =
  { readonly kind: 'opened' | 'closed' } | { readonly kind: 'cooling'; readonly forMs: number };

interface BackendOptions {
  readonly name: BackendName;
  /** Calls under way at the same time. */
  readonly inFlightMax: number;
  readonly onNews: (news: BackendNews, backend: Backend) => void;
  readonly now?: () => number;
}

/** Between two looks at whether a backend answers again: jittered, from about one second to ten. */
const waits = new ExponentialBackoff({ initialDelay: 1_000, maxDelay: 10_000 });
const waitMsMin = 500;
/** A look costs a further call, so that there is one for so many requests that went elsewhere, … */
const skipsBeforeProbe = 5;
/** … unless there are so few of them that it would be long until then. */
const unhurriedMs = 10_000;
/** Without a failure for so long, a backend is as good as one that never had any. */
const forgetMs = 30_000;

type Wait = ReturnType<typeof waits.next>;

/** What is known of a backend that failed lately. */
interface Trouble {
  readonly rules: TripRules;
  lastFailureAt: number;
  isOpen: boolean;
  probeWait: Wait;
  /** When an open backend may be tried next. */
  probeAt: number;
  /** Requests that went elsewhere since it was tried last. */
  skips: number;
  coolWait: Wait;
  coolUntil: number;
}

/**
 * Breaker and concurrency limit of one backend. As long as nothing fails it holds a number and nothing else: then a call
 * costs two comparisons.
 *
 * While the breaker is open, one request a while is sent all the same, to see whether the backend answers: the next
 * success closes it. Such probes are spaced by time, not by the end of the one before, so that one which hangs keeps
 * nobody from finding out that others would not.
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

  /** How long until a backend that is not ready may be. */
  get waitMs(): number {
    const { coolUntil = 0, probeAt = 0, isOpen = false } = this.#trouble ?? {};
    return Math.max(0, (isOpen ? Math.max(probeAt, coolUntil) : coolUntil) - this.#now());
  }

  /** A call goes out. Says whether it is a probe: one that goes out while the breaker is open. */
  begin(): boolean {
    this.#inFlight += 1;
    if (!this.#trouble?.isOpen) return false;
    this.#planProbe(this.#trouble);
    return true;
  }

  /** A request for it goes elsewhere. */
  skip(): void {
    if (this.#trouble) this.#trouble.skips += 1;
  }

  /** The call is over, whatever became of it. */
  end(): void {
    this.#inFlight -= 1;
  }

  /**
   * It answered: with what a client wants, or with an error that is the request's own. A call that went out before the
   * breaker opened closes nothing.
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

  /** A throttled or refused one is left alone for as long as that says. It is well, so its breaker does not open for it. */
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
   * What another replica says of the same backend. A pause that the provider asked for holds for all. That a breaker
   * opened or closed elsewhere may be for reasons of that replica's own: it is a reason to look, by the next call, and
   * that call's outcome decides.
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

  /** The credential is another one now. */
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

  /** At least as long as it asks, and longer each time that it is throttled again after a pause. */
  #cool(trouble: Trouble, askedMs: number): void {
    const now = this.#now();
    // Of many calls that are refused at the same time, the first one tells.
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

/** So many failures, with no answer between them, open a breaker. */
const failuresInARow = 5;
/** So does more than half of the calls of ten seconds, from twenty calls on. */
const sample = { threshold: 0.5, duration: 10_000, minimumRps: 2 } as const;

/** When the failures of a backend are enough to open its breaker: whichever of the library's rules says so first. */
class TripRules {
  readonly #rules = [new ConsecutiveBreaker(failuresInARow), new SamplingBreaker(sample)];

  noteSuccess(): void {
    for (const rule of this.#rules) rule.success(CircuitState.Closed);
  }

  /** Says whether the breaker opens. Each rule is told. */
  noteFailure(): boolean {
    return this.#rules.map((rule) => rule.failure(CircuitState.Closed)).includes(true);
  }
}
