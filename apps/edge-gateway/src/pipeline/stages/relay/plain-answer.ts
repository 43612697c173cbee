import { GatewayError } from '@gateway/errors';
import { foldAnswer, type ResponseSummary, type StreamEvent } from '@gateway/interchange';
import { readWhole } from '../../../upstream/answer-body.ts';
import { toUpstreamError } from '../../../upstream/upstream.port.ts';
import { hasLeft, type Exchange } from '../../exchange/exchange.ts';
import type { RelayOutcome } from '../../exchange/answer.ts';
import type { AnswerLane } from './answer-lane.ts';
import { fillCallIds } from './fill-call-ids.ts';
import type { PassedAnswer } from './passed-answer.ts';

/** Answers up to this are read whole before their status goes out; a longer one is refused. */
const plainAnswerBytesMax = 64 * 1024 * 1024;

/** How a plain answer ended. */
export function endPlain(
  { answer, providerRequestId }: PassedAnswer,
  summary: ResponseSummary,
  exchange: Exchange,
): RelayOutcome {
  const failure = summary.error;
  return {
    status: hasLeft(exchange) ? 'cancelled' : failure ? 'error' : 'ok',
    httpStatus: answer.status,
    errorCode: failure ? 'provider_error' : null,
    errorMessage: failure?.message ?? null,
    errorDetail: null,
    providerRequestId,
    summary,
  };
}

export function isJson({ headers }: PassedAnswer): boolean {
  const declared = headers['content-type'] ?? 'application/json';
  return declared.toLowerCase().includes('json');
}

/** What does not even say that it is JSON goes on as it is: it is between the provider and its client. */
export function passUnread(bytes: Buffer, passed: PassedAnswer, exchange: Exchange): RelayOutcome {
  exchange.timings.firstByteAt = performance.now();
  exchange.response.writeHead(passed.answer.status, {
    ...passed.headers,
    'content-length': String(bytes.length),
  });
  exchange.response.end(bytes);
  return {
    status: 'error',
    httpStatus: passed.answer.status,
    errorCode: 'upstream_invalid',
    errorMessage: 'The provider sent an answer that could not be read.',
    errorDetail: null,
    providerRequestId: passed.providerRequestId,
    summary: null,
  };
}

/** @param bytes the provider's own, which go on as they are; null: the events are said in the client's format. */
export function writeAnswer(
  bytes: Buffer | null,
  events: readonly StreamEvent[],
  passed: PassedAnswer,
  lane: AnswerLane,
  exchange: Exchange,
): void {
  const { response } = exchange;
  exchange.timings.firstByteAt = performance.now();
  if (exchange.ledger.stream && bytes === null) {
    // The client waits for a stream, and gets the whole answer in one.
    response.writeHead(passed.answer.status, {
      ...passed.headers,
      'content-type': lane.client.client.streamContentType,
    });
    for (const part of lane.renderStream(events)) response.write(part);
    response.end();
    return;
  }
  const body = bytes ?? renderAnswer(events, lane, exchange);
  const ownType = bytes !== null ? {} : { 'content-type': lane.client.client.contentType };
  response.writeHead(passed.answer.status, {
    ...passed.headers,
    ...ownType,
    'content-length': String(body.length),
  });
  response.end(body);
}

function renderAnswer(events: readonly StreamEvent[], lane: AnswerLane, exchange: Exchange): Buffer {
  const { timings, requestId } = exchange;
  const latencyMs = Math.round(performance.now() - (timings.forwardedAt ?? timings.startedAt));
  const answer = foldAnswer(fillCallIds(events, requestId));
  const rendered = lane.client.client.renderResponse(answer, { ...lane.defaults, latencyMs });
  return Buffer.from(JSON.stringify(rendered));
}

export async function readAnswer({ answer }: PassedAnswer, exchange: Exchange): Promise<Buffer> {
  try {
    const { bytes, isWhole } = await readWhole(answer.body, plainAnswerBytesMax);
    if (isWhole) return bytes;
  } catch (error) {
    throw toUpstreamError(error);
  } finally {
    answer.body.discard();
  }
  const detail = `the answer is longer than ${plainAnswerBytesMax} bytes (request ${exchange.requestId})`;
  throw new GatewayError('upstream_invalid', { detail });
}
