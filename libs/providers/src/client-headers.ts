import type { IncomingHeaders } from './upstream-request.ts';

export interface ClientHeaders {
  /** What the client may see of the provider's headers. Lower-case names. */
  readonly headers: Record<string, string>;
  /** The provider's own id of the exchange: for the log; the client gets ours. */
  readonly providerRequestId: string | null;
  /**
   * The encoding of the body, if the provider compressed it although it was asked not to. The body's bytes then are
   * not text: whoever reads them decodes them first, within a bound, or gives up.
   */
  readonly contentEncoding: string | null;
}

const passedHeaders = new Set([
  'content-type',
  'retry-after',
  'retry-after-ms',
  'x-should-retry',
  // Names the exception of an error in the converse format: its body does not.
  'x-amzn-errortype',
  'openai-processing-ms',
  'openai-version',
]);

/** Token limits are the provider's to tell; limits of requests are the gateway's own, under the same prefix. */
const passedPattern =
  /^(?:x-ratelimit-(?:limit|remaining|reset)-tokens|anthropic-ratelimit-[a-z-]+-(?:limit|remaining|reset))$/;

function passes(name: string): boolean {
  // Most have no such word in them, and are not worth a pattern.
  return passedHeaders.has(name) || (name.includes('ratelimit') && passedPattern.test(name));
}

const encodingHeaders = ['content-encoding'];

const requestIdHeaders = ['x-request-id', 'request-id', 'x-amzn-requestid', 'x-goog-request-id'];

/**
 * Chooses which of a provider's response headers the client gets: an allow list, so that what identifies the account
 * (`openai-organization`, `openai-project`), sets cookies, describes the provider's connection (`content-length`,
 * `transfer-encoding`, `alt-svc`, `strict-transport-security`, …) or is new never leaves by oversight.
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
