import { constants, type Http2ServerResponse } from 'node:http2';
import type { GatewayError } from '@gateway/errors';
import type { Logger } from '@gateway/observability';
import { renderError } from '../../../request/http-response.ts';
import { hasLeft, type Exchange } from '../../exchange/exchange.ts';
import type { RelayOutcome } from '../../exchange/answer.ts';

/** An error of ours, in the shape of the endpoint. A client that has left gets nothing, and the log says `cancelled`. */
export function relayError(error: GatewayError, exchange: Exchange, services: { log: Logger }): RelayOutcome {
  const { response } = exchange;
  const left = hasLeft(exchange) || response.destroyed;
  // Of those there are many at a time, and each has its line in the log of requests.
  if (!left && error.definition.status >= 500 && error.code !== 'overloaded') {
    services.log.error(
      { err: error.cause ?? error, request_id: exchange.requestId, code: error.code, detail: error.detail },
      'request failed',
    );
  }
  if (!left && !response.headersSent) {
    const rendered = renderError(error, exchange.requestId, exchange.format);
    endRequest(exchange);
    response.writeHead(rendered.status, { ...exchange.headers, ...rendered.headers });
    response.end(rendered.body);
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
    // Rounds that went well before are billed all the same.
    summary: exchange.rounds?.summary ?? null,
  };
}

/** Node reads what is left of a request when it is answered. */
const shortBodyBytes = 64 * 1024;

/**
 * A body that was not read to its end would be taken for the next request of an HTTP/1.1 connection, so that one ends
 * with its answer. HTTP/2 knows no such header: there the stream ends, and the connection goes on.
 */
function endRequest({ request, response }: Exchange): void {
  if (request.complete) return;
  // What is left of a short one costs less to read than a new connection.
  if (Number(request.headers['content-length'] ?? Number.NaN) <= shortBodyBytes) return;
  if (request.httpVersionMajor === 1) {
    response.setHeader('connection', 'close');
    return;
  }
  const { stream } = response as unknown as Http2ServerResponse;
  stream.once('finish', () => stream.close(constants.NGHTTP2_NO_ERROR));
}
