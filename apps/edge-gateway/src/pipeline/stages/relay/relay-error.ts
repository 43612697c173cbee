import type { GatewayError } from '@gateway/errors';
import type { Logger } from '@gateway/observability';
import { renderError } from '../../../http/render-error.ts';
import type { Exchange } from '../../exchange.ts';
import type { RelayOutcome } from '../../relay-outcome.ts';

/** An error of ours, in the shape of the endpoint. A client that has left gets nothing, and the log says `cancelled`. */
export function relayError(error: GatewayError, exchange: Exchange, services: { log: Logger }): RelayOutcome {
  const { response } = exchange;
  const left = exchange.abort.signal.aborted || response.destroyed;
  if (!left && error.definition.status >= 500) {
    services.log.error(
      { err: error.cause ?? error, request_id: exchange.requestId, code: error.code, detail: error.detail },
      'request failed',
    );
  }
  if (!left && !response.headersSent) {
    const rendered = renderError(error, exchange.requestId, exchange.format);
    response.writeHead(rendered.status, { ...exchange.headers, ...rendered.headers, ...closing(exchange) });
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
    summary: null,
  };
}

/** A body that was not read to its end would be taken for the next request of the connection. */
function closing({ request }: Exchange): Record<string, string> {
  return request.complete ? {} : { connection: 'close' };
}
