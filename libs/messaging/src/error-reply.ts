import { errorRegistry, GatewayError, type ErrorCode } from '@gateway/errors';
import { headers, type MsgHdrs } from '@nats-io/transport-node';
import { z } from 'zod';
import { decodeJson, encodeJson } from './payload.ts';

/** A reply that carries this header is an error. */
const errorHeader = 'Svc-Error';

const errorReply = z.object({
  code: z.string(),
  message: z.string(),
  param: z.string().optional(),
  retryAfterMs: z.number().nonnegative().optional(),
});

/** An error as it crosses the bus: what is public of it, and nothing else. */
export function renderErrorReply(error: GatewayError): { data: Buffer; headers: MsgHdrs } {
  const marked = headers();
  marked.set(errorHeader, error.code);
  const { code, message, param, retryAfterMs } = error;
  return { data: encodeJson({ code, message, param, retryAfterMs }), headers: marked };
}

export function isErrorReply(replyHeaders: MsgHdrs | undefined): boolean {
  return replyHeaders?.has(errorHeader) === true;
}

function isErrorCode(code: string): code is ErrorCode {
  return Object.hasOwn(errorRegistry, code);
}

/** The error that a server answered; one that the registry does not know is `service_unavailable`. */
export function parseErrorReply(data: Uint8Array, subject: string): GatewayError {
  const parsed = errorReply.safeParse(decodeJson(data));
  if (!parsed.success) {
    return new GatewayError('service_unavailable', {
      detail: `${subject}: an error reply that cannot be read`,
    });
  }
  const { code, message, param, retryAfterMs } = parsed.data;
  if (!isErrorCode(code)) {
    return new GatewayError('service_unavailable', { detail: `${subject}: unknown error code ${code}` });
  }
  return new GatewayError(code, {
    message,
    detail: `answered by ${subject}`,
    ...(param === undefined ? {} : { param }),
    ...(retryAfterMs === undefined ? {} : { retryAfterMs }),
  });
}
