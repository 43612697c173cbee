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
 * The provider's own error: its status and its bytes, with credentials taken out. What is no JSON (a proxy's HTML page)
 * would break a client's reader, so it becomes an error in the client's format.
 */
export async function relayProviderError(passed: PassedAnswer, exchange: Exchange): Promise<RelayOutcome> {
  const { answer, providerRequestId } = passed;
  const bytes = redactSecrets(await readErrorBody(passed), answer.secrets);
  const format = formatNamed(exchange.format);
  const error = format.provider.parseError(answer.status, bytes.toString('utf8'));
  const { response } = exchange;
  const headers = { ...passed.headers, ...retryHeaders(passed.headers) };
  if (isJson(bytes)) {
    response.writeHead(answer.status, { ...headers, 'content-length': String(bytes.length) });
    response.end(bytes);
  } else {
    const rendered = format.client.renderError(
      { ...error, status: answer.status, source: 'provider' },
      exchange.requestId,
    );
    response.writeHead(rendered.status, { ...headers, ...rendered.headers });
    response.end(rendered.body);
  }
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

function isJson(bytes: Buffer): boolean {
  try {
    JSON.parse(bytes.toString('utf8'));
    return true;
  } catch {
    return false;
  }
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
