import type { ServerResponse } from 'node:http';
import { constants, type Http2ServerResponse } from 'node:http2';
import { TLSSocket } from 'node:tls';
import type { ErrorCode, GatewayError } from '@gateway/errors';
import type { ClientFormat, PublicError } from '@gateway/interchange';
import type { RenderedError } from '@gateway/wire-formats';
import { formatNamed } from '@gateway/wire-formats';

/**
 * Returns whether a response was sent completely. Under HTTP/2, `writableFinished` is true even for an
 * incomplete response if the client resets the stream.
 */
export function isAnswered(response: ServerResponse): boolean {
  return response.writableEnded && response.writableFinished;
}

/**
 * Resets the client's connection or HTTP/2 stream after the bytes that have already been written. Clients treat an
 * incomplete response as a connection error, and retry the request.
 */
export function resetConnection(response: ServerResponse): void {
  response.write('', () => {
    if (response.req.httpVersionMajor === 2) {
      const { stream } = response as unknown as Http2ServerResponse;
      stream.close(constants.NGHTTP2_INTERNAL_ERROR);
      return;
    }
    // Node cannot reset a TLS connection. The client still notices an incomplete response, because the last chunk is missing.
    if (response.socket instanceof TLSSocket) response.destroy();
    else response.socket?.resetAndDestroy();
  });
}

/** Percent-encodes the characters in client text that are not allowed in a header. */
export function renderHeaderText(text: string): string {
  return text.toWellFormed().replace(/[^\x20-\x7e]+/g, encodeURIComponent);
}

/** Returns the parts of an error that clients may see. */
export function toPublicError(error: GatewayError): PublicError {
  const { status, type } = error.definition;
  return {
    status,
    type,
    code: error.code,
    message: error.message,
    param: error.param ?? null,
    source: 'gateway',
    docsUrl: docsUrlOf(error.code),
  };
}

/** The path of the gateway's page about an error code, with the cause, the effect and the remedy. */
export function docsUrlOf(code: ErrorCode): string {
  return `/docs/operations/failure-modes#${code}`;
}

/** Renders an error in the given format. Proxy and account endpoints use the chat-completions format. */
export function renderError(error: GatewayError, requestId: string, format: ClientFormat): RenderedError {
  const rendered = formatNamed(format).client.renderError(toPublicError(error), requestId);
  return {
    ...rendered,
    headers: {
      ...rendered.headers,
      'x-request-id': requestId,
      'x-should-retry': String(error.definition.retryable),
      ...retryHeaders(error),
    },
  };
}

/**
 * Sets the headers `retry-after` and `retry-after-ms`. OpenAI and Anthropic clients prefer `retry-after-ms`,
 * and LangChain needs `retry-after`.
 */
function retryHeaders({ retryAfterMs, definition }: GatewayError): Record<string, string> {
  const ms = retryAfterMs ?? (definition.status === 503 ? 1_000 : undefined);
  if (ms === undefined) return {};
  return {
    'retry-after': String(Math.max(1, Math.ceil(ms / 1000))),
    'retry-after-ms': String(Math.ceil(ms)),
  };
}

/** Returns an error format that the clients of an endpoint path can read. */
export function formatOfPath(path: string): ClientFormat {
  if (/^\/v1\/messages(?:[/?]|$)/.test(path)) return 'messages';
  if (/^\/v1\/responses(?:[/?]|$)/.test(path)) return 'responses';
  return /^\/model\/[^/]+\/converse/.test(path) ? 'converse' : 'chat-completions';
}
