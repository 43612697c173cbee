import type { Loss } from '@gateway/interchange';
import type { ExclusionRule } from '@gateway/model-routing';
import type { Span } from '@gateway/observability';
import type { UpstreamToolNames } from '@gateway/wire-formats';
import type { Backend } from '../../backends/backend.ts';
import type { Failure } from '../../backends/failure.ts';
import type { Target } from '../../request/request.ts';

/** One provider call, and everything that is known of this call only. Times are milliseconds of `performance.now()`. */
export interface Attempt {
  readonly target: Target;
  /** When the request was sent. Absent until then. */
  sentAt?: number;
  /** When the provider's status and headers arrived. Absent until then. */
  headersAt?: number;
  /** The span of the call. It ends with the response. */
  span?: Span;
  /** Length of the body that was sent; 0 until then. */
  bodyBytes: number;
  /** Everything in the request that the provider's format cannot express. */
  losses: readonly Loss[];
  /** Maps the tool names that the provider received to the client's. Null if they are the same. */
  toolNames: UpstreamToolNames | null;
  /** Whether the client wants usage in a streamed response. Known once the request is translated. */
  streamsUsage: boolean;
}

export function createAttempt(target: Target): Attempt {
  return { target, bodyBytes: 0, losses: [], toolNames: null, streamsUsage: false };
}

/** An attempt without a response for the client. */
export interface FailedAttempt extends Failure {
  readonly backend: Backend;
  readonly model: string;
  /** The error for the client if no other attempt succeeds. Absent while the provider's own error response is available. */
  readonly error?: unknown;
}

/** A fallback that was not called because it lacks something that the request needs. */
export interface SkippedFallback {
  /** `<provider>/<model>` */
  readonly id: string;
  readonly rule: ExclusionRule;
}

/** A hedged call that was cancelled because the other call answered first. Its provider may bill the input. */
export interface AbandonedCall {
  readonly provider: string;
  readonly model: string;
  /** Length of its body. */
  readonly bytes: number;
}

/** The attempts of one request. */
export interface Attempts {
  /** The attempt whose response goes to the client, or the latest one. Null before the first, and while two are hedged. */
  current: Attempt | null;
  /** All calls that were sent, recovery rounds included. */
  calls: number;
  /** The number of calls in `x-svc-attempts`. Recovery rounds do not count. */
  callsShown: number;
  /** How often a failed candidate was called again. */
  repeats: number;
  /** Body bytes of the recovery rounds before the current attempt. */
  earlierRoundBytes: number;
  /** In the order of the calls. */
  readonly failed: FailedAttempt[];
  /** Set if the response broke before its first byte went to the client. The next call is then another attempt. */
  broken: FailedAttempt | null;
  /** In their order. */
  readonly skipped: SkippedFallback[];
  readonly abandoned: AbandonedCall[];
}

export function createAttempts(): Attempts {
  return {
    ...{ current: null, calls: 0, callsShown: 0, repeats: 0, earlierRoundBytes: 0 },
    ...{ failed: [], broken: null, skipped: [], abandoned: [] },
  };
}

/** Length of all bodies that produced the current answer: the current attempt's, and those of earlier recovery rounds. */
export function countSentBytes({ current, earlierRoundBytes }: Attempts): number {
  return earlierRoundBytes + (current?.bodyBytes ?? 0);
}
