import type { ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { GatewayError } from '@gateway/errors';
import { uuidv7 } from 'uuidv7';
import { renderError } from '../request/http-response.ts';

/** What a connection may take of us, whichever protocol it speaks. */
export const connectionLimits = {
  /** Headers over this are answered 431. */
  headerBytesMax: 16 * 1024,
  /** Over HTTP/2, headers that are longer than this are not taken in at all: their stream is reset. */
  http2HeaderBytesMax: 64 * 1024,
  /** How long a connection may be silent between two requests. */
  keepAliveMs: 72_000,
  /** How long a request's headers may take, and a new connection's first bytes. */
  headersMs: 30_000,
  /** How long a request, its body included, may take to come in. */
  requestMs: 300_000,
} as const;

interface Refusal {
  readonly statusLine: string;
  readonly error: GatewayError;
}

/**
 * Answers what Node could not read as a request (headers over the limit, no HTTP, one that never ends), in the shape of
 * every other error, and closes the connection.
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

/** The same answer where the connection is whole: over HTTP/2. */
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
    const error = new GatewayError('invalid_field', { message: 'The request did not come in time.' });
    return { statusLine: '408 Request Timeout', error };
  }
  const error = new GatewayError('invalid_field', { message: 'The request is not valid HTTP.' });
  return { statusLine: '400 Bad Request', error };
}
