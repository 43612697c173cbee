import { GatewayError } from '@gateway/errors';
import { createSummary, summarize, type ResponseSummary } from '@gateway/interchange';
import { formatNamed } from '@gateway/wire-formats';
import { toUpstreamError } from '../../../upstream/upstream-error.ts';
import type { Exchange } from '../../exchange.ts';
import type { RelayOutcome } from '../../relay-outcome.ts';
import type { PassedAnswer } from './passed-answer.ts';
import { readWhole } from './read-whole.ts';

/** Answers up to this are read whole before their status goes out; a longer one is refused. */
const plainAnswerBytesMax = 64 * 1024 * 1024;

/** A plain answer: whole and readable, or a clean error instead. The client gets the provider's own bytes. */
export async function relayPlain(passed: PassedAnswer, exchange: Exchange): Promise<RelayOutcome> {
  const bytes = await readAnswer(passed, exchange);
  const summary = readSummary(bytes, exchange);
  exchange.timings.firstByteAt = performance.now();
  const { response } = exchange;
  response.writeHead(passed.answer.status, { ...passed.headers, 'content-length': String(bytes.length) });
  response.end(bytes);
  const failure = summary.error;
  return {
    status: exchange.abort.signal.aborted ? 'cancelled' : failure ? 'error' : 'ok',
    httpStatus: passed.answer.status,
    errorCode: failure ? 'provider_error' : null,
    errorMessage: failure?.message ?? null,
    errorDetail: null,
    providerRequestId: passed.providerRequestId,
    summary,
  };
}

async function readAnswer({ answer }: PassedAnswer, exchange: Exchange): Promise<Buffer> {
  try {
    const { bytes, isWhole } = await readWhole(answer.body, plainAnswerBytesMax);
    if (isWhole) return bytes;
  } catch (error) {
    throw toUpstreamError(error);
  } finally {
    if (!answer.body.readableEnded) answer.body.once('error', () => undefined).destroy();
  }
  const detail = `the answer is longer than ${plainAnswerBytesMax} bytes (request ${exchange.requestId})`;
  throw new GatewayError('upstream_invalid', { detail });
}

/** Throws `upstream_invalid` for what no client of the format could read. */
function readSummary(bytes: Buffer, exchange: Exchange): ResponseSummary {
  return formatNamed(exchange.format).provider.parseResponse(bytes).reduce(summarize, createSummary());
}
