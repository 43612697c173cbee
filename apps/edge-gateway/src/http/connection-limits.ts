import type { ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { GatewayError } from '@gateway/errors';
import { uuidv7 } from 'uuidv7';
import { renderError } from '../request/http-response.ts';

/** Limits for connections over both protocols, HTTP/1.1 and HTTP/2. */
export const connectionLimits = {
  /**
   * Maximum size of a request's headers in bytes. Requests with headers above the maximum get a response with status
   * 431.
   */
  headerBytesMax: 16 * 1024,
  /** Maximum size of an HTTP/2 stream's headers in bytes. HTTP/2 streams with headers above the maximum are reset. */
  http2HeaderBytesMax: 64 * 1024,
  /** Time in milliseconds for which a connection may stay idle between two requests. */
  keepAliveMs: 72_000,
  /** Time limit for receiving a request's headers, and for the first bytes on a connection. */
  headersMs: 30_000,
  /** Time limit for receiving a whole request, including its body. */
  requestMs: 300_000,
} as const;

interface Refusal {
  readonly statusLine: string;
  readonly error: GatewayError;
}

/**
 * Responds to a request that Node could not parse (headers too large, not HTTP, or incomplete). Sends an
 * error in the gateway's usual format, then closes the connection.
 */
export function answerConnectionError(failure: { readonly code?: string }, socket: Socket): void {
  if (failure.code === 'ECONNRESET' || !socket.writable) {
    socket.destroy();
    return;
  }
  const { statusLine, error } = refuse(failure.code);
  const { headers, body } = renderError(error, uuidv7(), 'chat-completions');
  const fields = { ...headers, 'content-length': String(Buffer.byteLength(body)), connection: 'close' };
  const head = Object.entries(fields).map(([name, value]) => `${name}: ${value}\r\n`);
  socket.end(`HTTP/1.1 ${statusLine}\r\n${head.join('')}\r\n${body}`);
}

/**
 * Sends the error for oversized headers over HTTP/2. An HTTP/2 connection stays usable for further requests.
 */
export function answerOversizedHeaders(response: ServerResponse): void {
  const { headers, body } = renderError(headersTooLarge, uuidv7(), 'chat-completions');
  response.writeHead(431, headers).end(body);
}

const headersTooLarge = new GatewayError('request_too_large', { message: 'The headers are too large.' });

function refuse(code: string | undefined): Refusal {
  if (code === 'HPE_HEADER_OVERFLOW') {
    return { statusLine: '431 Request Header Fields Too Large', error: headersTooLarge };
  }
  if (code === 'ERR_HTTP_REQUEST_TIMEOUT') {
    const error = new GatewayError('invalid_field', { message: 'The request was not complete in time.' });
    return { statusLine: '408 Request Timeout', error };
  }
  const error = new GatewayError('invalid_field', { message: 'The request is not valid HTTP.' });
  return { statusLine: '400 Bad Request', error };
}
