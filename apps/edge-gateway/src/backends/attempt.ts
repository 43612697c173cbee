import { GatewayError } from '@gateway/errors';
import type { Counter } from '@gateway/observability';
import type { AnswerBody } from '../upstream/answer-body.ts';
import type { Backend } from './backend.ts';
import type { Failure } from './failure.ts';

export interface AttemptOptions {
  readonly backend: Backend;
  /** Of the request: aborted when its client leaves. */
  readonly parent: AbortSignal;
  /** How long the first byte for the client may take, where somebody else can be asked. Undefined where nobody could be. */
  readonly firstByteMs: number | undefined;
  /** Whether somebody else can be asked now: looked up when the time is over, and not for each call. */
  readonly isReplaceable: () => Promise<boolean>;
  readonly failures: Counter<'reason'>;
}

/**
 * One call to a backend, from before it goes out until its answer is over: what became of it is told to the backend, once,
 * by whoever learns it first. A client that leaves says nothing of the backend.
 */
export class Attempt {
  readonly signal: AbortSignal;
  readonly #options: AttemptOptions;
  #deadline: NodeJS.Timeout | undefined;
  readonly #isProbe: boolean;
  #hasBegun = false;
  #isJudged = false;
  #isOver = false;

  constructor(options: AttemptOptions) {
    this.#options = options;
    this.#isProbe = options.backend.begin();
    this.signal = options.firstByteMs === undefined ? options.parent : this.#watch(options.firstByteMs);
  }

  /** The call failed. Returns the failure, for whoever asks what comes next. */
  fail(failure: Failure): void {
    if (this.#isJudged || this.#options.parent.aborted) return;
    this.#isJudged = true;
    this.#options.failures.inc({ reason: failure.kind });
    this.#options.backend.noteFailure(failure);
  }

  /** The client has the first byte of the answer: from here on nobody else can be asked. */
  begun(): void {
    this.#hasBegun = true;
    clearTimeout(this.#deadline);
    if (this.#isProbe) this.succeed();
  }

  /** The call is over without an answer. */
  end(): void {
    if (this.#isOver) return;
    this.#isOver = true;
    clearTimeout(this.#deadline);
    this.#options.backend.end();
  }

  /** Until its body is over, an answer counts as under way. One that breaks off is a failure. */
  follow(body: AnswerBody): void {
    body.follow((isWhole) => {
      this.end();
      if (isWhole) this.succeed();
      else this.fail({ kind: 'unreachable', isPassing: true, retryAfterMs: undefined });
    });
  }

  /** It did what was asked of it, whatever its connection does now. */
  succeed(): void {
    if (this.#isJudged) return;
    this.#isJudged = true;
    this.#options.backend.noteSuccess(this.#isProbe);
  }

  #watch(firstByteMs: number): AbortSignal {
    const own = new AbortController();
    const giveUp = async (): Promise<void> => {
      if (!(await this.#options.isReplaceable()) || this.#hasBegun || this.#isOver) return;
      const detail = `no byte for the client within ${firstByteMs} ms`;
      own.abort(new GatewayError('upstream_timeout', { detail }));
    };
    this.#deadline = setTimeout(() => void giveUp(), firstByteMs);
    return AbortSignal.any([this.#options.parent, own.signal]);
  }
}
