import type { ServerResponse } from 'node:http';
import type { GatewayError } from '@gateway/errors';
import type { ClientFormat, PublicError } from '@gateway/interchange';
import type { RenderedError } from '@gateway/wire-formats';
import { formatNamed } from '@gateway/wire-formats';

/**
 * Whether an answer went out to its end. Under HTTP/2 a stream that the client reset counts as finished, though nobody
 * ended it.
 */
export function isAnswered(response: ServerResponse): boolean {
  return response.writableEnded && response.writableFinished;
}

/** A client's own words may hold what no header can: that is percent-encoded. */
export function renderHeaderText(text: string): string {
  return text.toWellFormed().replace(/[^\x20-\x7e]+/g, encodeURIComponent);
}

/** What of an error may be shown. */
export function toPublicError(error: GatewayError): PublicError {
  const { status, type } = error.definition;
  return {
    status,
    type,
    code: error.code,
    message: error.message,
    param: error.param ?? null,
    source: 'gateway',
  };
}

/** An error in the shape of a format. Chat-completions' shape is also that of proxies and account endpoints. */
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

/** Both, since OpenAI's and Anthropic's clients prefer the one and LangChain needs the other. */
function retryHeaders({ retryAfterMs, definition }: GatewayError): Record<string, string> {
  const ms = retryAfterMs ?? (definition.status === 503 ? 1_000 : undefined);
  if (ms === undefined) return {};
  return {
    'retry-after': String(Math.max(1, Math.ceil(ms / 1000))),
    'retry-after-ms': String(Math.ceil(ms)),
  };
}

/** The format of an endpoint's errors, by its address: what a client of that endpoint can read. */
export function formatOfPath(path: string): ClientFormat {
  if (/^\/v1\/messages(?:[/?]|$)/.test(path)) return 'messages';
  return /^\/model\/[^/]+\/converse/.test(path) ? 'converse' : 'chat-completions';
}
