import { formatNamed } from '@gateway/wire-formats';
import type { Exchange } from '../../exchange.ts';
import type { RelayOutcome } from '../../relay-outcome.ts';
import { toUpstreamError } from '../../../upstream/upstream-error.ts';
import type { PassedAnswer } from './passed-answer.ts';
import { readWhole } from './read-whole.ts';
import { redactSecrets } from './redact-secrets.ts';

/** Error answers are short; a longer one is cut off. */
const errorBytesMax = 1024 * 1024;

/**
 * The provider's own error: its status, and its body with credentials taken out and with what tells it from an error of
 * ours. What is no JSON (a proxy's HTML page) or of another shape becomes an error in the client's format.
 */
export async function relayProviderError(passed: PassedAnswer, exchange: Exchange): Promise<RelayOutcome> {
  const { answer, providerRequestId } = passed;
  const bytes = redactSecrets(await readErrorBody(passed), answer.secrets);
  const format = formatNamed(exchange.format);
  const error = format.provider.parseError(answer.status, bytes.toString('utf8'));
  const { response } = exchange;
  const rendered = format.client.renderError(
    { ...error, status: answer.status, source: 'provider' },
    exchange.requestId,
  );
  const body = mergeOwnMembers(rendered.body, bytes);
  response.writeHead(rendered.status, {
    ...passed.headers,
    ...retryHeaders(passed.headers),
    ...rendered.headers,
  });
  response.end(body);
  exchange.timings.firstByteAt = performance.now();
  return {
    status: exchange.abort.signal.aborted ? 'cancelled' : 'error',
    httpStatus: answer.status,
    errorCode: 'provider_error',
    errorMessage: error.message,
    errorDetail: null,
    providerRequestId,
    summary: null,
  };
}

async function readErrorBody({ answer }: PassedAnswer): Promise<Buffer> {
  try {
    return (await readWhole(answer.body, errorBytesMax)).bytes;
  } catch (error) {
    throw toUpstreamError(error);
  } finally {
    if (!answer.body.readableEnded) answer.body.once('error', () => undefined).destroy();
  }
}

/** What else the provider says of its error (`error.metadata` and the like) goes along, in the same places. */
function mergeOwnMembers(rendered: string, bytes: Buffer): string {
  const own = readObject(bytes.toString('utf8'));
  const ours = readObject(rendered);
  if (own === null || ours === null) return rendered;
  const error =
    isObject(own['error']) && isObject(ours['error']) ? { ...own['error'], ...ours['error'] } : ours['error'];
  return JSON.stringify({ ...own, ...ours, error });
}

function readObject(text: string): Record<string, unknown> | null {
  try {
    const value: unknown = JSON.parse(text);
    return isObject(value) ? value : null;
  } catch {
    return null;
  }
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** Clients differ in which of the two they read: whoever sent one gets both. */
function retryHeaders(headers: Readonly<Record<string, string>>): Record<string, string> {
  const { 'retry-after': seconds, 'retry-after-ms': ms } = headers;
  if (seconds !== undefined && ms === undefined && /^\d+$/.test(seconds))
    return { 'retry-after-ms': `${Number(seconds) * 1000}` };
  if (ms !== undefined && seconds === undefined && /^\d+$/.test(ms))
    return { 'retry-after': `${Math.ceil(Number(ms) / 1000)}` };
  return {};
}
