import type { RequestEventV1 } from '@gateway/contracts';
import type { ErrorCode } from '@gateway/errors';
import type { ResponseSummary } from '@gateway/interchange';
import type { UpstreamAnswer } from '../../request/upstream-answer.ts';
import type { Target } from '../../request/request.ts';

/** The answer to a chat request. */
export interface ChatAnswer extends UpstreamAnswer {
  /** Who gave it: the one that was chosen, or one of its alternatives. */
  readonly target: Target;
  /**
   * To be told when it could not be relayed. Throws the error when that is the end of it; returns when the request may be
   * forwarded once more, which takes that no byte has gone to the client.
   */
  readonly giveUp: (error: unknown) => undefined;
}

/** How a request ended, as seen from the client's side. */
export interface RelayOutcome {
  readonly status: RequestEventV1['status'];
  /** Null when the client left before there was a status. */
  readonly httpStatus: number | null;
  readonly errorCode: ErrorCode | null;
  /** Public text of the error; never holds content or secrets. */
  readonly errorMessage: string | null;
  /** For our own log alone. */
  readonly errorDetail: string | null;
  readonly providerRequestId: string | null;
  /** Absent when no answer was read. */
  readonly summary: ResponseSummary | null;
}
