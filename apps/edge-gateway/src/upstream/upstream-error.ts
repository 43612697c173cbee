import { GatewayError } from '@gateway/errors';

const timeouts = new Set([
  'UND_ERR_HEADERS_TIMEOUT',
  'UND_ERR_BODY_TIMEOUT',
  'UND_ERR_CONNECT_TIMEOUT',
  'ETIMEDOUT',
]);

/** What went wrong on the way to the provider, in the registry's words. */
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
