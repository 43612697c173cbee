import { readWhole } from '../../../upstream/answer-body.ts';
import { toUpstreamError } from '../../../upstream/upstream.port.ts';
import { hasLeft, type Exchange } from '../../exchange/exchange.ts';
import type { RelayOutcome } from '../../exchange/answer.ts';
import type { AnswerLane } from './answer-lane.ts';
import type { PassedAnswer } from './passed-answer.ts';
import { redactSecrets } from './redact-secrets.ts';

/** Error answers are short; a longer one is cut off. */
const errorBytesMax = 1024 * 1024;

/**
 * The provider's own error, with credentials taken out. In the same format its bytes go on as they are, so that a client
 * sees what it would see without us, and `x-svc-error-source` says whose error it is; in another it is said in the
 * client's format, with `source: provider`. See docs/decisions/0001-provider-errors-pass-untouched.md.
 */
export async function relayProviderError(
  passed: PassedAnswer,
  lane: AnswerLane,
  exchange: Exchange,
): Promise<RelayOutcome> {
  const { answer, providerRequestId } = passed;
  const bytes = redactSecrets(await readErrorBody(passed), answer.secrets);
  const error = lane.provider.provider.parseError(answer.status, bytes.toString('utf8'), answer.headers);
  const retry = retryHeaders(passed.headers, error.retryAfterMs);
  const headers = { ...passed.headers, ...retry, 'x-svc-error-source': 'provider' };
  const { response, requestId } = exchange;
  if (lane.isSameFormat) {
    response.writeHead(answer.status, { ...headers, 'content-length': String(bytes.length) });
    response.end(bytes);
  } else {
    const shown = { ...error, status: answer.status, source: 'provider' } as const;
    const rendered = lane.client.client.renderError(shown, requestId);
    response.writeHead(rendered.status, { ...headers, ...rendered.headers });
    response.end(rendered.body);
  }
  exchange.timings.firstByteAt = performance.now();
  return {
    status: hasLeft(exchange) ? 'cancelled' : 'error',
    httpStatus: answer.status,
    errorCode: 'provider_error',
    errorMessage: error.message,
    errorDetail: null,
    providerRequestId,
    summary: lane.rounds?.summary ?? null,
  };
}

async function readErrorBody({ answer }: PassedAnswer): Promise<Buffer> {
  try {
    return (await readWhole(answer.body, errorBytesMax)).bytes;
  } catch (error) {
    throw toUpstreamError(error);
  } finally {
    answer.body.discard();
  }
}

/** Clients differ in which of the two they read: whoever sent one, or said it in the body, gets both. */
function retryHeaders(
  headers: Readonly<Record<string, string>>,
  saidMs: number | undefined,
): Record<string, string> {
  const { 'retry-after': seconds, 'retry-after-ms': ms } = headers;
  if (seconds !== undefined && ms === undefined && /^\d+$/.test(seconds))
    return { 'retry-after-ms': `${Number(seconds) * 1000}` };
  if (ms !== undefined && seconds === undefined && /^\d+$/.test(ms))
    return { 'retry-after': `${Math.ceil(Number(ms) / 1000)}` };
  if (seconds === undefined && ms === undefined && saidMs !== undefined)
    return { 'retry-after': `${Math.ceil(saidMs / 1000)}`, 'retry-after-ms': `${Math.ceil(saidMs)}` };
  return {};
}
