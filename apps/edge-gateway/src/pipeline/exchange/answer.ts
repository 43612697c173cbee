import type { RequestEventV1 } from '@gateway/contracts';
import type { ErrorCode } from '@gateway/errors';
import type { ResponseSummary } from '@gateway/interchange';
import type { UpstreamAnswer } from '../../upstream/upstream.port.ts';
import type { Target } from '../../request/request.ts';

/** The upstream response to a chat request, with the target that produced it. */
export interface ChatAnswer extends UpstreamAnswer {
  /** The target that responded, which is the chosen target or one of its fallbacks. */
  readonly target: Target;
  /**
   * Abandons a response that could not be relayed. If the client has not received any bytes yet, the function
   * returns normally, and the request can be forwarded again. If the client has received bytes, the function throws
   * the error that broke the response.
   */
  readonly giveUp: (error: unknown) => undefined;
}

/** How the request ended for the client. */
export interface RelayOutcome {
  readonly status: RequestEventV1['status'];
  /** Null if the client disconnected before a status was sent. */
  readonly httpStatus: number | null;
  readonly errorCode: ErrorCode | null;
  /** Public error text, which never contains content or secrets. */
  readonly errorMessage: string | null;
  /** Internal error details, for the gateway's own log only. */
  readonly errorDetail: string | null;
  readonly providerRequestId: string | null;
  /** The log summary of the response, or null if no response was read. */
  readonly summary: ResponseSummary | null;
}
