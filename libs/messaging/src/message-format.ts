import type { RpcContract } from '@gateway/contracts';
import type { ErrorCode } from '@gateway/errors';
import { GatewayError, errorRegistry } from '@gateway/errors';
import type { TraceHeaders } from '@gateway/observability';
import { currentTraceHeaders } from '@gateway/observability';
import type { MsgHdrs } from '@nats-io/transport-node';
import { headers } from '@nats-io/transport-node';
import { z } from 'zod';

/**
 * The `max_payload` setting of NATS. The NATS server's configuration must contain the same value of
 * `max_payload`.
 */
export const messageBytesMax = 8 * 1024 * 1024;

export function encodeJson(value: unknown): Buffer {
  return Buffer.from(JSON.stringify(value), 'utf8');
}

/**
 * Parses JSON.
 * @throws SyntaxError if the text is not JSON.
 */
export function decodeJson(data: Uint8Array): unknown {
  return JSON.parse(Buffer.from(data.buffer, data.byteOffset, data.byteLength).toString('utf8'));
}

/**
 * Maximum size of a short message, in bytes. The receiver parses and checks a short message in a few
 * milliseconds.
 */
const shortMessageBytes = 128 * 1024;

/**
 * Splits a list into several short messages, so that a long list blocks neither the sender nor the receiver.
 * An item that exceeds the size of a short message gets a separate message.
 * @param bytesOf the size of an item in the message, in bytes
 */
export function* cutForMessages<Item>(
  items: readonly Item[],
  bytesOf: (item: Item) => number,
): Generator<Item[]> {
  let group: Item[] = [];
  let bytes = 0;
  for (const item of items) {
    const own = bytesOf(item);
    if (group.length > 0 && bytes + own > shortMessageBytes) {
      yield group;
      [group, bytes] = [[], 0];
    }
    group.push(item);
    bytes += own;
  }
  if (group.length > 0) yield group;
}

/**
 * A single token of a NATS subject, without dots or wildcards, so an instance id cannot address other
 * subjects.
 */
const instanceIdPattern = /^[A-Za-z0-9_-]{1,64}$/;

/**
 * Returns the NATS subject for a contract, or for one instance that serves the contract. Throws
 * `service_unavailable` for an invalid instance id.
 */
export function subjectOf(contract: RpcContract, instanceId: string | undefined): string {
  if (!contract.perInstance) return contract.subject;
  if (instanceId === undefined || !instanceIdPattern.test(instanceId)) {
    throw new GatewayError('service_unavailable', {
      detail: `${contract.subject}: the instance id is missing or invalid`,
    });
  }
  return `${contract.subject}.${instanceId}`;
}

/** Returns the NATS headers for the current trace. Returns undefined if there is no current trace. */
export function renderTrace(): MsgHdrs | undefined {
  const current = currentTraceHeaders();
  if (current === undefined) return undefined;
  const carried = headers();
  carried.set('traceparent', current.traceparent);
  if (current.tracestate !== undefined) carried.set('tracestate', current.tracestate);
  return carried;
}

export function parseTrace(carried: MsgHdrs | undefined): TraceHeaders | undefined {
  const traceparent = carried?.get('traceparent');
  if (!traceparent) return undefined;
  const tracestate = carried?.get('tracestate');
  return tracestate ? { traceparent, tracestate } : { traceparent };
}

/** A header that marks a reply as an error. */
const errorHeader = 'Svc-Error';

const errorReply = z.object({
  code: z.string(),
  message: z.string(),
  param: z.string().optional(),
  retryAfterMs: z.number().nonnegative().optional(),
});

/** Serializes the public parts of an error for the message bus. */
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

/** Parses an error reply. An error code that is not in the registry is replaced with `service_unavailable`. */
export function parseErrorReply(data: Uint8Array, subject: string): GatewayError {
  const parsed = errorReply.safeParse(decodeJson(data));
  if (!parsed.success) {
    return new GatewayError('service_unavailable', {
      detail: `${subject}: the error reply is malformed`,
    });
  }
  const { code, message, param, retryAfterMs } = parsed.data;
  if (!isErrorCode(code)) {
    return new GatewayError('service_unavailable', { detail: `${subject}: unknown error code ${code}` });
  }
  return new GatewayError(code, {
    message,
    detail: `error reply from ${subject}`,
    ...(param === undefined ? {} : { param }),
    ...(retryAfterMs === undefined ? {} : { retryAfterMs }),
  });
}
