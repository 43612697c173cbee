import { GatewayError } from '@gateway/errors';
import type { Counter } from '@gateway/observability';
import type { Backend } from '../../../backends/backend.ts';
import { failureOfError, failureOfStatus, type Failure } from '../../../backends/failure.ts';
import type { ResilienceMetrics } from '../../../metrics/edge-metrics.ts';
import type { Caller, Target } from '../../../request/request.ts';
import type { PipelineSettings } from '../../../request/settings.ts';
import type { AnswerBody } from '../../../upstream/answer-body.ts';
import type { UpstreamReply } from '../../../upstream/upstream.port.ts';
import type { ChatAnswer } from '../../exchange/answer.ts';
import type { Attempt, FailedAttempt } from '../../exchange/attempt.ts';
import { hasLeft, isCancelled, type Exchange } from '../../exchange/exchange.ts';
import { chooseAlternative, type Candidate, type RetryServices } from './candidates.ts';

/** A request that several candidates could serve. */
export interface ForwardTask {
  readonly target: Target;
  readonly exchange: Exchange;
  readonly caller: Caller;
  /** Whether the request may be sent more than once. */
  readonly isRepeatable: boolean;
  /** Whether two provider calls may run at the same time. Absent if a call may have side effects. */
  readonly isHedgeable?: boolean;
  /**
   * Sends the request and records the details of the call in the attempt. Resolves with the status and
   * headers of the provider.
   */
  send(candidate: Candidate, attempt: Attempt, signal: AbortSignal): Promise<UpstreamReply>;
}

/** The outcome of an attempt, which is a response for the client, or a failure that another attempt may avoid. */
export type AttemptOutcome =
  | { readonly failure: undefined; readonly answer: ChatAnswer }
  | { readonly failure: FailedAttempt; readonly answer: ChatAnswer | undefined };

export type AttemptServices = RetryServices & {
  readonly resilience: Pick<ResilienceMetrics, 'upstreamFailures'>;
  readonly settings: Pick<PipelineSettings, 'firstByteMsMax' | 'plainAnswerMsMax'>;
};

/**
 * The failure that is reported for a fallback to which this request cannot be sent. The failure does not count
 * against the backend of the fallback.
 */
const unsuitable: Failure = { kind: 'invalid', isPassing: false, retryAfterMs: undefined };

/**
 * Runs one attempt. Returns the attempt's response, or its failure if another attempt may succeed.
 * Throws if the provider rejects the request as invalid, or if the client has disconnected.
 * @param parent the signal that aborts the attempt, either the signal of the exchange or the signal of one of
 * two hedged attempts
 */
export async function runAttempt(
  task: ForwardTask,
  candidate: Candidate,
  attempt: Attempt,
  parent: AbortSignal,
  services: AttemptServices,
): Promise<AttemptOutcome> {
  const { target, connection } = candidate;
  const { backend } = connection;
  const { attempts } = task.exchange;
  const call = new BackendCall({
    backend,
    parent,
    firstByteMs: firstByteMsOf(task, services),
    isReplaceable: () => isReplaceable(candidate, task, services),
    failures: services.resilience.upstreamFailures,
  });
  const fail = (failure: Failure, error?: unknown): FailedAttempt => {
    const failed = { ...failure, backend, model: target.model, error };
    attempts.failed.push(failed);
    return failed;
  };
  try {
    const reply = await task.send(candidate, attempt, call.signal);
    call.follow(reply.body);
    const answer = openAnswer(reply, candidate, call, task.exchange);
    const failure = failureOfStatus(reply.status, reply.headers);
    if (failure === undefined) return { failure, answer };
    call.fail(failure);
    return { failure: fail(failure), answer };
  } catch (error) {
    call.end();
    const failure = failureOfError(error) ?? (target === task.target ? undefined : unsuitable);
    if (failure === undefined || isCancelled(parent)) throw error;
    if (failure !== unsuitable) call.fail(failure);
    return { failure: fail(failure, error), answer: undefined };
  }
}

/**
 * Returns whether another candidate could replace a call without a response. The promise never rejects. If the
 * lookup of a candidate fails, the function returns false.
 */
async function isReplaceable(
  candidate: Candidate,
  { target, exchange: { attempts }, caller }: ForwardTask,
  services: AttemptServices,
): Promise<boolean> {
  const other = await chooseAlternative(candidate, target, caller, attempts, services).catch(() => undefined);
  return other !== undefined;
}

/**
 * Returns the time limit for the first byte, or for the whole response if it is not a stream. Returns
 * undefined if the target has no fallbacks.
 */
function firstByteMsOf({ target, exchange }: ForwardTask, { settings }: AttemptServices): number | undefined {
  if (target.alternatives === undefined) return undefined;
  return exchange.ledger.stream ? settings.firstByteMsMax : settings.plainAnswerMsMax;
}

function openAnswer(
  { status, headers, body }: UpstreamReply,
  { target, connection: { backend, secrets } }: Candidate,
  call: BackendCall,
  exchange: Exchange,
): ChatAnswer {
  return {
    status,
    headers,
    body,
    secrets,
    target,
    begun: () => call.begun(),
    ended: () => call.succeed(),
    giveUp: (error) => {
      const failure = failureOfError(error);
      if (failure === undefined || exchange.response.headersSent || hasLeft(exchange)) throw error;
      call.fail(failure);
      const broken = { ...failure, backend, model: target.model, error };
      exchange.attempts.broken = broken;
      exchange.attempts.failed.push(broken);
      return undefined;
    },
  };
}

interface BackendCallInput {
  readonly backend: Backend;
  readonly parent: AbortSignal;
  /**
   * The time limit in milliseconds for the first byte to the client. Undefined if no other candidate can be
   * called.
   */
  readonly firstByteMs: number | undefined;
  /**
   * Returns whether another candidate can be called now. The caller calls this function only after the time limit
   * for the first byte has expired.
   */
  readonly isReplaceable: () => Promise<boolean>;
  readonly failures: Counter<'reason'>;
}

/**
 * One call to a backend, from just before the request is sent to the end of the response. The outcome of a call
 * counts once toward the backend's health. If the client disconnects, the outcome does not count.
 */
class BackendCall {
  readonly signal: AbortSignal;
  readonly #input: BackendCallInput;
  #deadline: NodeJS.Timeout | undefined;
  readonly #isProbe: boolean;
  #hasBegun = false;
  #isReported = false;
  #isOver = false;

  constructor(input: BackendCallInput) {
    this.#input = input;
    this.#isProbe = input.backend.begin();
    this.signal = input.firstByteMs === undefined ? input.parent : this.#watch(input.firstByteMs);
  }

  /** Reports a failed call to its backend. */
  fail(failure: Failure): void {
    if (this.#isReported || this.#input.parent.aborted) return;
    this.#isReported = true;
    this.#input.failures.inc({ reason: failure.kind });
    this.#input.backend.noteFailure(failure);
  }

  /**
   * The caller must call this method when the client has received the first byte. After the first byte, the
   * gateway calls no other candidate.
   */
  begun(): void {
    this.#hasBegun = true;
    clearTimeout(this.#deadline);
    if (this.#isProbe) this.succeed();
  }

  /** Marks the provider call as ended. An ended call no longer counts as in flight. */
  end(): void {
    if (this.#isOver) return;
    this.#isOver = true;
    clearTimeout(this.#deadline);
    this.#input.backend.end();
  }

  /**
   * The call counts as in flight until its response body ends. A broken response body is reported as a failure.
   */
  follow(body: AnswerBody): void {
    body.follow((isWhole) => {
      this.end();
      if (isWhole) this.succeed();
      else this.fail({ kind: 'unreachable', isPassing: true, retryAfterMs: undefined });
    });
  }

  /** Reports a success of the provider call, even if the connection fails later. */
  succeed(): void {
    if (this.#isReported) return;
    this.#isReported = true;
    this.#input.backend.noteSuccess(this.#isProbe);
  }

  #watch(firstByteMs: number): AbortSignal {
    const own = new AbortController();
    const cancelIfReplaceable = async (): Promise<void> => {
      if (!(await this.#input.isReplaceable()) || this.#hasBegun || this.#isOver) return;
      const detail = `no byte for the client within ${firstByteMs} ms`;
      own.abort(new GatewayError('upstream_timeout', { detail }));
    };
    this.#deadline = setTimeout(() => void cancelIfReplaceable(), firstByteMs);
    return AbortSignal.any([this.#input.parent, own.signal]);
  }
}
