import type { PublicError } from '@gateway/interchange';
import type { RenderedError } from '../../common/format.ts';
import { mapToException } from '../exceptions.ts';

/** A status that HTTP does not name, and the SDK neither. */
const overloaded = 529;

/** An error answer, with everything that the SDK looks for: the message, and the exception's name in a header. */
export function renderError(error: PublicError, requestId: string): RenderedError {
  return {
    status: error.status === overloaded ? 503 : error.status,
    headers: {
      'content-type': 'application/json',
      'x-amzn-errortype': mapToException(error),
      'x-amzn-requestid': requestId,
    },
    body: JSON.stringify({ message: error.message }),
  };
}
