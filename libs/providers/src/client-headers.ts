import type { IncomingHeaders } from './provider/http.ts';

export interface ClientHeaders {
  /** Provider response headers that are forwarded to the client. The header names are lowercase. */
  readonly headers: Record<string, string>;
  /** The provider's request id, which is written to the log. The client receives only the gateway's request id. */
  readonly providerRequestId: string | null;
  /**
   * The content encoding, if the provider compressed the body although the request disallows compression. The
   * gateway must decompress this body (up to a size limit) or fail the request.
   */
  readonly contentEncoding: string | null;
}

const passedHeaders = new Set([
  'content-type',
  'retry-after',
  'retry-after-ms',
  'x-should-retry',
  // The header that contains an error's exception type in the converse format.
  'x-amzn-errortype',
  'openai-processing-ms',
  'openai-version',
]);

/**
 * Matches headers with token limits and Anthropic's `unified` headers. The provider's request limit headers
 * are not forwarded, because the gateway's own limits use the same header names. Anthropic's clients show the
 * `unified` headers, which describe the limits of a subscription.
 */
const passedPattern =
  /^(?:x-ratelimit-(?:limit|remaining|reset)-tokens|anthropic-ratelimit-(?:[a-z-]+-(?:limit|remaining|reset)|unified-[a-z0-9_-]+))$/;

function passes(name: string): boolean {
  // A substring test is cheap and excludes most headers before the regular expression runs.
  return passedHeaders.has(name) || (name.includes('ratelimit') && passedPattern.test(name));
}

const encodingHeaders = ['content-encoding'];

const requestIdHeaders = ['x-request-id', 'request-id', 'x-amzn-requestid', 'x-goog-request-id'];

/**
 * Selects the provider's response headers that are forwarded to the client. An allow list ensures that new
 * headers are never forwarded by accident. The allow list excludes headers that identify the account
 * (`openai-organization`, `openai-project`) or set cookies. Headers that describe the provider's connection
 * are also excluded (`content-length`, `transfer-encoding`, `alt-svc`, `strict-transport-security`, …).
 */
export function renderClientHeaders(providerHeaders: IncomingHeaders): ClientHeaders {
  const headers: Record<string, string> = {};
  for (const rawName of Object.keys(providerHeaders)) {
    const name = rawName.toLowerCase();
    const value = passes(name) ? providerHeaders[rawName] : undefined;
    if (value !== undefined) headers[name] = typeof value === 'string' ? value : value.join(', ');
  }
  const encoding = firstOf(providerHeaders, encodingHeaders)?.trim().toLowerCase() ?? 'identity';
  return {
    headers,
    providerRequestId: firstOf(providerHeaders, requestIdHeaders),
    contentEncoding: encoding === '' || encoding === 'identity' ? null : encoding,
  };
}

function firstOf(headers: IncomingHeaders, names: readonly string[]): string | null {
  for (const name of names) {
    const value = headers[name];
    const first = typeof value === 'string' ? value : value?.[0];
    if (first !== undefined) return first;
  }
  return null;
}
