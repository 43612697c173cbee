import type { Readable } from 'node:stream';
import type { IncomingHeaders } from '@gateway/providers';
import { GatewayError } from '@gateway/errors';
import type { AnswerBody } from './answer-body.ts';

export interface UpstreamCall {
  readonly url: string;
  /** HTTP method of the request. `POST` by default. */
  readonly method?: 'GET';
  readonly headers: Record<string, string>;
  /**
   * The request body, in one piece, in several pieces, or as a stream. A streamed request body is sent as it arrives.
   * If the length of the body is known, it is sent in the `content-length` header.
   */
  readonly body: Uint8Array | readonly Uint8Array[] | Readable | null;
  readonly signal: AbortSignal;
  /**
   * The `CDN-Loop` header in the client's request. The header is absent if the provider call was not caused
   * by a client request.
   */
  readonly loopHeader?: string | string[] | undefined;
  /**
   * Whether the URL comes from a response, as a link or a redirect. A URL from a response must not point to one of
   * the operator's own servers, such as the sandbox provider.
   */
  readonly isLinked?: true;
}

/** A provider's response with an unread body. */
export interface UpstreamReply {
  readonly status: number;
  readonly headers: IncomingHeaders;
  readonly body: AnswerBody;
}

/** A response from a provider. The status and headers have arrived, but the body has not. */
export interface UpstreamAnswer extends UpstreamReply {
  /** Secret values that must not appear in the provider's error text. */
  readonly secrets: readonly string[];
  /** The caller calls this method when the first byte of the response is sent to the client. */
  readonly begun: () => void;
  /**
   * The caller calls this method when a stream reports its end. Connection errors after the end of the
   * response do not count as failures.
   */
  readonly ended: () => void;
}

/**
 * Sends requests to providers. Throws `upstream_unreachable`, `upstream_timeout` or `egress_denied` if the
 * call fails before a response arrives.
 */
export interface Upstream {
  send(call: UpstreamCall): Promise<UpstreamReply>;
  close(): Promise<void>;
}

const timeouts = new Set([
  'UND_ERR_HEADERS_TIMEOUT',
  'UND_ERR_BODY_TIMEOUT',
  'UND_ERR_CONNECT_TIMEOUT',
  'ETIMEDOUT',
]);

/** Maps an error of a provider call to the error registry. */
export function toUpstreamError(error: unknown): GatewayError {
  if (error instanceof GatewayError) return error;
  const code = error instanceof Error && 'code' in error ? String(error.code) : '';
  const cause = error instanceof Error ? error.cause : undefined;
  if (cause instanceof GatewayError) return cause;
  const detail = error instanceof Error ? error.message : String(error);
  return new GatewayError(timeouts.has(code) ? 'upstream_timeout' : 'upstream_unreachable', {
    detail,
    cause: error,
  });
}
