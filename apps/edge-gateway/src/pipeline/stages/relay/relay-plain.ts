import { GatewayError } from '@gateway/errors';
import { createSummary, foldAnswer, summarize, type StreamEvent } from '@gateway/interchange';
import { toUpstreamError } from '../../../upstream/upstream-error.ts';
import { hasLeft, type Exchange } from '../../exchange.ts';
import type { RelayOutcome } from '../../relay-outcome.ts';
import type { AnswerLane } from './answer-lane.ts';
import type { PassedAnswer } from './passed-answer.ts';
import { fillCallIds } from './fill-call-ids.ts';
import { readWhole } from './read-whole.ts';

/** Answers up to this are read whole before their status goes out; a longer one is refused. */
const plainAnswerBytesMax = 64 * 1024 * 1024;

/** A plain answer: whole and readable, or a clean error instead. In the same format the client gets the provider's bytes. */
export async function relayPlain(
  passed: PassedAnswer,
  lane: AnswerLane,
  exchange: Exchange,
): Promise<RelayOutcome> {
  const bytes = await readAnswer(passed, exchange);
  if (lane.isSameFormat && !isJson(passed)) return passUnread(bytes, passed, exchange);
  const events = lane.provider.provider.parseResponse(bytes);
  const summary = events.reduce(summarize, createSummary());
  const failure = summary.error;
  // A client that waits for a stream, or for another format, would take an error with status 200 for an empty answer.
  if (failure !== undefined && (exchange.ledger.stream || !lane.isSameFormat))
    throw new GatewayError('provider_error', { message: failure.message });
  writeAnswer(bytes, events, passed, lane, exchange);
  return {
    status: hasLeft(exchange) ? 'cancelled' : failure ? 'error' : 'ok',
    httpStatus: passed.answer.status,
    errorCode: failure ? 'provider_error' : null,
    errorMessage: failure?.message ?? null,
    errorDetail: null,
    providerRequestId: passed.providerRequestId,
    summary,
  };
}

function isJson({ headers }: PassedAnswer): boolean {
  const declared = headers['content-type'] ?? 'application/json';
  return declared.toLowerCase().includes('json');
}

/** What does not even say that it is JSON goes on as it is: it is between the provider and its client. */
function passUnread(bytes: Buffer, passed: PassedAnswer, exchange: Exchange): RelayOutcome {
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

function writeAnswer(
  bytes: Buffer,
  events: readonly StreamEvent[],
  passed: PassedAnswer,
  lane: AnswerLane,
  exchange: Exchange,
): void {
  const { response } = exchange;
  exchange.timings.firstByteAt = performance.now();
  if (exchange.ledger.stream && !lane.isSameFormat) {
    // The client waits for a stream, and gets the whole answer in one.
    response.writeHead(passed.answer.status, {
      ...passed.headers,
      'content-type': lane.client.client.streamContentType,
    });
    for (const part of lane.openStreamWriter().write(bytes, events)) response.write(part);
    response.end();
    return;
  }
  const body = lane.isSameFormat ? bytes : renderAnswer(events, lane, exchange);
  const ownType = lane.isSameFormat ? {} : { 'content-type': lane.client.client.contentType };
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
