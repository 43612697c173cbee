import { converseErrorBody, errorBody, messagesErrorBody } from '@gateway/contracts';
import { z } from 'zod';
import { formatOfPath } from '../../apps/edge-gateway/src/request/http-response.ts';
import type { Answer } from '../e2e/http.fixture.ts';

const messagesError = messagesErrorBody.extend({
  error: messagesErrorBody.shape.error.extend({ details: z.object({ error_code: z.string() }).optional() }),
});

/**
 * Returns a response's status, such as `200`. For an error, returns the status and the error code, such as
 * `401 invalid_api_key`. Throws an error if an error response lacks the request id or differs from the error
 * format of the endpoint. Errors in the converse format have no code.
 */
export function outcomeOf(path: string, answer: Answer): string {
  const id = z.uuidv7().parse(answer.headers['x-request-id']);
  if (answer.status < 400) return String(answer.status);
  switch (formatOfPath(path)) {
    case 'messages': {
      const { error, request_id } = messagesError.parse(answer.json());
      requireSame(request_id, id);
      return `${answer.status} ${error.details?.error_code ?? error.type}`;
    }
    case 'converse':
      converseErrorBody.parse(answer.json());
      z.string().min(1).parse(answer.headers['x-amzn-errortype']);
      return String(answer.status);
    default: {
      const { error, request_id } = errorBody.parse(answer.json());
      requireSame(request_id, id);
      return `${answer.status} ${error.code}`;
    }
  }
}

/**
 * Returns an expected outcome with the details that the endpoint reports. The converse format reports only
 * the status.
 */
export function asToldAt(path: string, outcome: string): string {
  return formatOfPath(path) === 'converse' ? (outcome.split(' ', 1)[0] ?? '') : outcome;
}

function requireSame(inBody: string, inHeader: string): void {
  if (inBody !== inHeader) throw new Error('the body and the header have different request ids');
}
