import type { ServerResponse } from 'node:http';
import type { GatewayError } from '@gateway/errors';
import type { ClientFormat, PublicError } from '@gateway/interchange';
import type { RenderedError } from '@gateway/wire-formats';
import { formatNamed } from '@gateway/wire-formats';

/**
 * Returns whether a response was sent completely. Under HTTP/2, a stream that the client reset counts as
 * finished, although the response was not ended.
 */
export function isAnswered(response: ServerResponse): boolean {
  return response.writableEnded && response.writableFinished;
}

/** Percent-encodes the characters of a client's text that a header cannot contain. */
export function renderHeaderText(text: string): string {
  return text.toWellFormed().replace(/[^\x20-\x7e]+/g, encodeURIComponent);
}

/** Maps an error to its public parts. */
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

/** Renders an error in a format. Proxies and account endpoints use the chat-completions format. */
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

/** Sets both headers, because OpenAI's and Anthropic's clients prefer one and LangChain needs the other. */
function retryHeaders({ retryAfterMs, definition }: GatewayError): Record<string, string> {
  const ms = retryAfterMs ?? (definition.status === 503 ? 1_000 : undefined);
  if (ms === undefined) return {};
  return {
    'retry-after': String(Math.max(1, Math.ceil(ms / 1000))),
    'retry-after-ms': String(Math.ceil(ms)),
  };
}

/** The error format of an endpoint, by its path: the one that a client of this endpoint can read. */
export function formatOfPath(path: string): ClientFormat {
  if (/^\/v1\/messages(?:[/?]|$)/.test(path)) return 'messages';
  return /^\/model\/[^/]+\/converse/.test(path) ? 'converse' : 'chat-completions';
}
