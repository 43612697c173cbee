import type { JsonObject, PublicError } from '@gateway/interchange';
import type { RenderedError } from '../../common/format.ts';
import { optional } from '../../json/read-members.ts';
import { chooseErrorType } from '../error-types.ts';

/** An error answer, with everything that the official clients look for. */
export function renderError(error: PublicError, requestId: string): RenderedError {
  return {
    status: error.status,
    headers: { 'content-type': 'application/json; charset=utf-8', 'request-id': requestId },
    body: JSON.stringify(renderErrorBody(error, requestId)),
  };
}

/** The code goes where the official clients read it (`errorCode`). */
export function renderErrorBody(error: PublicError, requestId: string): JsonObject {
  const details = optional('error_code', error.code);
  return {
    type: 'error',
    error: { type: chooseErrorType(error), message: error.message, ...optional('details', details) },
    request_id: requestId,
  };
}
