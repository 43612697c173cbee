import type { RequestEventV1 } from '@gateway/contracts';
import type { ErrorCode } from '@gateway/errors';
import type { ResponseSummary } from '@gateway/interchange';

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
