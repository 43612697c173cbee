import type { PublicError } from '@gateway/interchange';
import { mapToStreamException, type ErrorKind } from '../exceptions.ts';
import type { StreamFrame } from '../stream-frames.ts';

/** The failure of a stream whose headers are out: the SDK throws it as the exception that it names. */
export function renderStreamError(error: PublicError): StreamFrame {
  return exceptionFrame(error, error.message);
}

/** A failure that the provider told inside its stream. */
export function renderToldError(error: { readonly message: string; readonly code?: string }): StreamFrame {
  return exceptionFrame({ status: 500, code: error.code ?? null, source: 'provider' }, error.message);
}

function exceptionFrame(kind: ErrorKind, message: string): StreamFrame {
  return { kind: 'exception', name: mapToStreamException(kind), payload: { message } };
}
