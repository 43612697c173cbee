import type { Http2ServerResponse } from 'node:http2';
import { constants } from 'node:http2';
import { GatewayError, type ErrorCode } from '@gateway/errors';
import type { Logger } from '@gateway/observability';
import { formatNamed } from '@gateway/wire-formats';
import { renderError, resetConnection, toPublicError } from '../../../request/http-response.ts';
import { hasLeft, renderAnswerHeaders, type Exchange } from '../../exchange/exchange.ts';
import type { RelayOutcome } from '../../exchange/answer.ts';
import { errorBytesMax, readWhole } from '../../../upstream/answer-body.ts';
import { toUpstreamError } from '../../../upstream/upstream.port.ts';
import type { ResponseWriter } from './response-writer.ts';
import type { ProviderAnswer } from './provider-answer.ts';
import { redactErrorBody } from './redact-errors.ts';

/**
 * Sends a gateway error in the endpoint's format. If the client has disconnected, no response is sent and the
 * log line has the status `cancelled`.
 */
export function relayError(error: GatewayError, exchange: Exchange, services: { log: Logger }): RelayOutcome {
  const { response } = exchange;
  const left = hasLeft(exchange) || response.destroyed;
  // Overload errors are frequent, and the request log already contains a line for each rejected request.
  if (!left && error.definition.status >= 500 && error.code !== 'overloaded') {
    services.log.error(
      { err: error.cause ?? error, request_id: exchange.requestId, code: error.code, detail: error.detail },
      'request failed',
    );
  }
  if (!left && !response.headersSent) {
    const rendered = renderError(error, exchange.requestId, exchange.format);
    const isUnread = endRequest(exchange);
    const length = { 'content-length': String(Buffer.byteLength(rendered.body)) };
    response.writeHead(rendered.status, { ...renderAnswerHeaders(exchange), ...rendered.headers, ...length });
    if (isUnread) endAfterRequest(exchange, rendered.body);
    else response.end(rendered.body);
  } else if (!left) {
    response.destroy();
  }
  return {
    status: left ? 'cancelled' : 'error',
    httpStatus: left ? null : error.definition.status,
    errorCode: left ? null : error.code,
    errorMessage: left ? null : error.message,
    errorDetail: error.detail ?? null,
    providerRequestId: null,
    // Completed recovery rounds are billed even if the request fails.
    summary: exchange.rounds?.summary ?? null,
  };
}

/** Provider failures after which a repeated request may succeed. */
const brokenResponses: ReadonlySet<ErrorCode> = new Set([
  'upstream_unreachable',
  'upstream_timeout',
  'upstream_invalid',
]);

/**
 * Breaks off a stream after the client has received some of its frames. If the provider's response breaks off, the
 * gateway resets the client's connection. Agents retry a reset connection, but treat most error events as final. If
 * the error has another cause, the client receives the error event of the endpoint's format and no success
 * terminator. HTTP/1.0 clients always receive the error event, because HTTP/1.0 also ends complete responses by
 * closing the connection. See docs/decisions/0009-broken-streams-reset-the-connection.md.
 * @param beforeEvent the bytes that end an unfinished event of the stream
 */
export function breakOff(
  error: GatewayError,
  { request, response, format, requestId }: Pick<Exchange, 'request' | 'response' | 'format' | 'requestId'>,
  beforeEvent = '',
): void {
  if (brokenResponses.has(error.code) && request.httpVersion !== '1.0') return resetConnection(response);
  if (beforeEvent !== '') response.write(beforeEvent);
  response.end(formatNamed(format).client.renderStreamError(toPublicError(error), requestId));
}

/** The failure of a stream that ended without the provider's terminator. */
export const truncatedStream = new GatewayError('upstream_invalid', {
  message: 'The provider ended its answer before it was complete.',
});

/** Maximum length in bytes of an unread request body that Node reads to its end after the response. */
const shortBodyBytes = 64 * 1024;

/**
 * Closes the connection or stream if the request body was not read. An HTTP/1.1 connection closes after the
 * response, because the server would parse the unread bytes as the next request. On an HTTP/2 connection,
 * only the stream of the unread body closes.
 * @returns whether the connection will be closed with unread bytes
 */
function endRequest({ request, response }: Exchange): boolean {
  if (request.complete) return false;
  // Reading the rest of a short body is cheaper than a new connection.
  if (Number(request.headers['content-length'] ?? Number.NaN) <= shortBodyBytes) return false;
  if (request.httpVersionMajor === 1) {
    response.setHeader('connection', 'close');
    return true;
  }
  const { stream } = response as unknown as Http2ServerResponse;
  stream.once('finish', () => stream.close(constants.NGHTTP2_NO_ERROR));
  return false;
}

/**
 * Maximum time in milliseconds for reading and dropping the rest of an unread body before the connection
 * closes.
 */
const lingerMs = 2_000;

/**
 * Sends the response immediately. Closes the connection once the client has sent its body, or after a short time. An
 * earlier close would reset the connection, and a client that is still sending could lose the response (RFC 9112
 * §9.6).
 */
function endAfterRequest({ request, response }: Exchange, body: string | Uint8Array): void {
  response.write(body);
  const end = (): void => {
    clearTimeout(timer);
    response.end();
  };
  const timer = setTimeout(end, lingerMs);
  request.once('close', end).once('end', end);
  request.resume();
}

/**
 * Sends the provider's own error, without credentials. If client and provider use the same format, the client
 * receives the remaining bytes unchanged, and `x-svc-error-source` names the origin of the error. If client and
 * provider use different formats, the error is rendered in the client's format, with `source: provider`. See
 * docs/decisions/0001-provider-errors-pass-untouched.md.
 */
export async function relayProviderError(
  passed: ProviderAnswer,
  lane: ResponseWriter,
  exchange: Exchange,
): Promise<RelayOutcome> {
  const { answer, providerRequestId } = passed;
  const bytes = redactErrorBody(await readErrorBody(passed), answer.secrets);
  const error = lane.provider.provider.parseError(answer.status, bytes.toString('utf8'), answer.headers);
  const retry = retryHeaders(passed.headers, error.retryAfterMs);
  const headers = { ...passed.headers, ...retry, 'x-svc-error-source': 'provider' };
  const { response, requestId } = exchange;
  if (lane.isSameFormat) {
    response.writeHead(answer.status, { ...headers, 'content-length': String(bytes.length) });
    response.end(bytes);
  } else {
    const shown = { ...error, status: answer.status, source: 'provider' } as const;
    const rendered = lane.client.client.renderError(shown, requestId);
    response.writeHead(rendered.status, { ...headers, ...rendered.headers });
    response.end(rendered.body);
  }
  exchange.timings.firstByteAt = performance.now();
  return {
    status: hasLeft(exchange) ? 'cancelled' : 'error',
    httpStatus: answer.status,
    errorCode: 'provider_error',
    errorMessage: error.message,
    errorDetail: null,
    providerRequestId,
    summary: lane.rounds?.summary ?? null,
  };
}

async function readErrorBody({ answer }: ProviderAnswer): Promise<Buffer> {
  try {
    return (await readWhole(answer.body, errorBytesMax)).bytes;
  } catch (error) {
    throw toUpstreamError(error);
  } finally {
    answer.body.discard();
  }
}

/**
 * Returns the retry header that the provider did not send. Some clients read only `retry-after`, and others read
 * only `retry-after-ms`. If one header or the body contains a delay, the client receives both headers.
 */
function retryHeaders(
  headers: Readonly<Record<string, string>>,
  saidMs: number | undefined,
): Record<string, string> {
  const { 'retry-after': seconds, 'retry-after-ms': ms } = headers;
  // The retry delay is rounded up to whole seconds, because RFC 9110 §10.2.3 defines no fractions and clients ignore them.
  if (seconds !== undefined && /^\d{1,9}\.\d{1,9}$/.test(seconds))
    return {
      'retry-after': `${Math.ceil(Number(seconds))}`,
      'retry-after-ms': ms ?? `${Math.ceil(Number(seconds) * 1000)}`,
    };
  if (seconds !== undefined && ms === undefined && /^\d+$/.test(seconds))
    return { 'retry-after-ms': `${Number(seconds) * 1000}` };
  if (ms !== undefined && seconds === undefined && /^\d+$/.test(ms))
    return { 'retry-after': `${Math.ceil(Number(ms) / 1000)}` };
  if (seconds === undefined && ms === undefined && saidMs !== undefined)
    return { 'retry-after': `${Math.ceil(saidMs / 1000)}`, 'retry-after-ms': `${Math.ceil(saidMs)}` };
  return {};
}
