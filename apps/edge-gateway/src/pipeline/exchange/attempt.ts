import type { Loss, StreamEvent } from '@gateway/interchange';
import type { ExclusionRule } from '@gateway/model-routing';
import type { Span } from '@gateway/observability';
import type { UpstreamToolNames } from '@gateway/wire-formats';
import type { Backend } from '../../backends/backend.ts';
import type { Failure } from '../../backends/failure.ts';
import type { Target } from '../../request/request.ts';

/** One provider call and its state. Times are in milliseconds of `performance.now()`. */
export interface Attempt {
  readonly target: Target;
  /**
   * Time at which the gateway sent the request to the provider. Absent until the request is sent.
   */
  sentAt?: number;
  /** Time at which the provider's status and headers were received. Absent until the headers arrive. */
  headersAt?: number;
  /** The trace span for the provider call. The trace span ends when the provider's response ends. */
  span?: Span;
  /** Length of the body that is sent, in bytes. The length is 0 until the body has been sent. */
  bodyBytes: number;
  /** The parts of the request that the provider's format cannot express. */
  losses: readonly Loss[];
  /** Number of cache markers that the gateway added to the request. */
  cacheMarkers: number;
  /**
   * Maps the tool names sent to the provider back to the client's names. Null if the provider and the client
   * always use the same tool names.
   */
  toolNames: UpstreamToolNames | null;
  /** The names of the client's custom tools, for a translated request. Null if the request has no custom tools. */
  customTools: ReadonlySet<string> | null;
  /**
   * Receives the events of the response, and stores the encrypted reasoning that they contain. Null if the
   * reasoning is not stored.
   */
  reasoning: { note(event: StreamEvent): void } | null;
  /**
   * Whether the client requested usage data in a streamed response. The gateway sets the field when it translates
   * the client's request.
   */
  streamsUsage: boolean;
}

export function createAttempt(target: Target): Attempt {
  return {
    target,
    bodyBytes: 0,
    losses: [],
    cacheMarkers: 0,
    toolNames: null,
    customTools: null,
    reasoning: null,
    streamsUsage: false,
  };
}

/** An attempt that failed without a response for the client. */
export interface FailedAttempt extends Failure {
  readonly backend: Backend;
  readonly model: string;
  /**
   * The error that the client receives if no other attempt succeeds. Absent as long as the client can still receive
   * the provider's own error response.
   */
  readonly error?: unknown;
}

/** A fallback that was skipped because its model lacks a feature that the request needs. */
export interface SkippedFallback {
  /** `<provider>/<model>` */
  readonly id: string;
  readonly rule: ExclusionRule;
}

/**
 * A parallel provider call that was cancelled because another call responded first. The provider may still
 * bill the input of a cancelled call.
 */
export interface AbandonedCall {
  readonly provider: string;
  readonly model: string;
  /** Length of the request body in bytes. */
  readonly bytes: number;
}

/** The attempts for one request. */
export interface Attempts {
  /**
   * The attempt that sent its response to the client, or the latest attempt. Null before the first
   * attempt, and while two hedged attempts run.
   */
  current: Attempt | null;
  /** Number of provider calls sent, including recovery rounds. */
  calls: number;
  /** Number of provider calls that the header `x-svc-attempts` reports. Recovery rounds are not counted. */
  callsShown: number;
  /** Number of provider calls in earlier recovery rounds, which `callsShown` excludes. */
  callsHidden: number;
  /** Number of retries with a candidate that had already failed. */
  repeats: number;
  /** Total number of bytes in the request bodies of all earlier recovery rounds. */
  earlierRoundBytes: number;
  /** Failed attempts, in the order of their provider calls. */
  readonly failed: FailedAttempt[];
  /**
   * The attempt with a response that ended early, before the client received its first byte. Null if no response ended
   * early. The provider call after a broken response is a new attempt.
   */
  broken: FailedAttempt | null;
  /** Skipped fallbacks in the order in which they were skipped. */
  readonly skipped: SkippedFallback[];
  readonly abandoned: AbandonedCall[];
}

export function createAttempts(): Attempts {
  return {
    current: null,
    calls: 0,
    callsShown: 0,
    callsHidden: 0,
    repeats: 0,
    earlierRoundBytes: 0,
    failed: [],
    broken: null,
    skipped: [],
    abandoned: [],
  };
}

/**
 * Returns the total length of all bodies that were sent for the current response, including those of earlier
 * recovery rounds.
 */
export function countSentBytes({ current, earlierRoundBytes }: Attempts): number {
  return earlierRoundBytes + (current?.bodyBytes ?? 0);
}
