import { GatewayError } from '@gateway/errors';
import type { ResponseSummary, StreamEvent } from '@gateway/interchange';
import { createSummary, foldAnswer, summarize } from '@gateway/interchange';
import { hasLeft, renderAnswerHeaders, type Exchange } from '../../exchange/exchange.ts';
import type { RelayOutcome } from '../../exchange/answer.ts';
import type { ResponseWriter } from './response-writer.ts';
import { fillCallIds, judge, showEvents } from './response-writer.ts';
import type { ProviderAnswer } from './provider-answer.ts';
import { redactErrorBody, redactErrorEvents } from './redact-errors.ts';
import { applyRounds, openProviderAnswer, rejectAnswer } from './provider-answer.ts';
import type { Continuation } from '../../recovery/prior-rounds.ts';
import type { RecoveryRounds } from '../../recovery/recovery-rounds.ts';
import { relayProviderError } from './relay-errors.ts';
import { readWhole } from '../../../upstream/answer-body.ts';
import { toUpstreamError } from '../../../upstream/upstream.port.ts';

/**
 * Relays a non-streaming response to the client. The client receives either a complete, readable response or
 * an error. If client and provider use the same format, the client receives the provider's bytes. Returns
 * undefined if the recovery rounds ended without a response and the request must be forwarded again.
 */
export async function relayPlain(
  passed: ProviderAnswer,
  lane: ResponseWriter,
  exchange: Exchange,
): Promise<RelayOutcome | undefined> {
  if (lane.rounds !== null) return relayPlainRounds(passed, lane, lane.rounds, exchange);
  const bytes = await readAnswer(passed, exchange);
  if (mayPassUnread(passed, lane)) return passUnread(bytes, passed, exchange);
  const events = parseAnswer(bytes, passed, lane);
  const summary = events.reduce(summarize, createSummary());
  const failure = summary.error;
  // A client that expects a stream or a different format would read an error with status 200 as an empty response.
  if (failure !== undefined && (exchange.ledger.stream || !lane.isSameFormat))
    throw new GatewayError('provider_error', { message: failure.message });
  const own = failure === undefined ? bytes : redactErrorBody(bytes, passed.answer.secrets);
  const shown = lane.calls === null ? events : judge(fillCallIds(events, exchange.requestId), lane.calls);
  const isOwn = lane.isSameFormat && lane.calls?.hasCalls !== true;
  writeAnswer(isOwn ? own : null, shown, passed, lane, exchange);
  return endPlain(passed, summary, exchange);
}

/**
 * Relays a non-streaming response with one or more recovery rounds. A response that needs no recovery is sent
 * as the provider's own bytes.
 */
async function relayPlainRounds(
  first: ProviderAnswer,
  lane: ResponseWriter,
  rounds: RecoveryRounds,
  exchange: Exchange,
): Promise<RelayOutcome | undefined> {
  const shown: StreamEvent[] = [];
  let passed = first;
  for (;;) {
    const read = await readPlainRound(passed, lane, rounds, exchange);
    if (read.kind === 'unread') return passUnread(read.bytes, passed, exchange);
    shown.push(...read.shown);
    const { next } = read;
    if (next.kind === 'fresh-start') return undefined;
    if (next.kind === 'complete')
      return endPlainRounds(read.bytes, shown, passed, { ...lane, rounds }, exchange);
    passed = openProviderAnswer(next.answer, exchange);
    const { status } = next.answer;
    if (status >= 400) return relayProviderError(passed, lane, exchange);
    if (status < 200 || status >= 300) throw rejectAnswer(next.answer, `status ${status}`);
  }
}

type ReadRound =
  /** A response that the gateway sends to the client without parsing it. */
  | { readonly kind: 'unread'; readonly bytes: Buffer }
  | {
      readonly kind: 'read';
      readonly bytes: Buffer;
      /** The events that the client receives. */
      readonly shown: readonly StreamEvent[];
      readonly next: Continuation;
    };

/**
 * Reads the response of a recovery round and sends the next request if another round follows. If a later round
 * fails, the client's own request is sent again with every tool, because the client has received nothing yet.
 */
async function readPlainRound(
  passed: ProviderAnswer,
  lane: ResponseWriter,
  rounds: RecoveryRounds,
  exchange: Exchange,
): Promise<ReadRound> {
  const read = await readEvents(passed, lane, rounds, exchange).catch(async (error: unknown) => {
    const next = await rounds.afterFailure();
    if (next === undefined) throw error;
    return { bytes: Buffer.alloc(0), shown: [], next };
  });
  if ('next' in read) return { kind: 'read', ...read };
  const { bytes, events } = read;
  if (events === null) return { kind: 'unread', bytes };
  const withIds = fillCallIds(events, exchange.requestId, rounds.count);
  const shown = showEvents(withIds, rounds, lane.calls);
  const hasFailed = events.some(({ type }) => type === 'error');
  const next = hasFailed ? await rounds.afterFailure() : await rounds.next();
  return { kind: 'read', bytes, shown, next: next ?? { kind: 'complete' } };
}

/**
 * Reads and parses a response. Null if the response is sent to the client without
 * parsing.
 */
async function readEvents(
  passed: ProviderAnswer,
  lane: ResponseWriter,
  rounds: RecoveryRounds,
  exchange: Exchange,
): Promise<{ bytes: Buffer; events: readonly StreamEvent[] | null }> {
  const bytes = await readAnswer(passed, exchange);
  if (!mayPassUnread(passed, lane)) return { bytes, events: parseAnswer(bytes, passed, lane) };
  if (rounds.isLaterRound) throw rejectAnswer(passed.answer, 'a content type other than JSON');
  return { bytes, events: null };
}

function endPlainRounds(
  bytes: Buffer,
  shown: readonly StreamEvent[],
  passed: ProviderAnswer,
  lane: ResponseWriter & { readonly rounds: RecoveryRounds },
  exchange: Exchange,
): RelayOutcome {
  const { rounds, isSameFormat, calls } = lane;
  const failure = rounds.summary.error;
  const isOwn = rounds.isUnchanged && isSameFormat && calls?.hasCalls !== true;
  if (failure !== undefined && (exchange.ledger.stream || !isOwn))
    throw new GatewayError('provider_error', { message: failure.message });
  const events = [...shown, ...judge(rounds.rest(), calls)];
  applyRounds(exchange, rounds);
  const withRounds = { ...passed, headers: { ...passed.headers, ...renderAnswerHeaders(exchange) } };
  const own = failure === undefined ? bytes : redactErrorBody(bytes, passed.answer.secrets);
  writeAnswer(isOwn ? own : null, events, withRounds, lane, exchange);
  return endPlain(passed, rounds.summary, exchange);
}

/** Parses a response. Errors in the outcome do not quote the provider credential. */
function parseAnswer(
  bytes: Buffer,
  { answer }: ProviderAnswer,
  { provider }: ResponseWriter,
): readonly StreamEvent[] {
  return redactErrorEvents(provider.provider.parseResponse(bytes), answer.secrets);
}

/**
 * Maximum length of a non-streaming response in bytes. The gateway reads the whole response before it sends the
 * status. Responses above this length are rejected.
 */
const plainAnswerBytesMax = 64 * 1024 * 1024;

/**
 * The estimated memory for a response, as a multiple of its length. The estimated memory includes the received
 * chunks, the joined bytes, and the parsed texts of the response.
 */
export const answerMemoryFactor = 3;

/** Returns the outcome for a non-streaming response. */
function endPlain(
  { answer, providerRequestId }: ProviderAnswer,
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

/**
 * Returns whether a response may be forwarded to the client without parsing. If the API key has tool lists,
 * the gateway parses every response, because a client may parse any response as JSON.
 */
function mayPassUnread(passed: ProviderAnswer, { isSameFormat, calls }: ResponseWriter): boolean {
  return isSameFormat && calls === null && !isJson(passed);
}

function isJson({ headers }: ProviderAnswer): boolean {
  const declared = headers['content-type'] ?? 'application/json';
  return declared.toLowerCase().includes('json');
}

/** Sends a response with a content type other than JSON, and redacts the provider credential. */
function passUnread(body: Buffer, passed: ProviderAnswer, exchange: Exchange): RelayOutcome {
  const bytes = redactErrorBody(body, passed.answer.secrets);
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

/**
 * Writes the response to the client.
 * @param bytes the unmodified bytes from the provider. Null if the events must be rendered in the client's
 * format.
 */
function writeAnswer(
  bytes: Buffer | null,
  events: readonly StreamEvent[],
  passed: ProviderAnswer,
  lane: ResponseWriter,
  exchange: Exchange,
): void {
  const { response } = exchange;
  exchange.timings.firstByteAt = performance.now();
  if (exchange.ledger.stream && bytes === null) {
    // The client expects a stream, so the complete response is sent as a stream.
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

function renderAnswer(events: readonly StreamEvent[], lane: ResponseWriter, exchange: Exchange): Buffer {
  const { timings, requestId } = exchange;
  const latencyMs = Math.round(performance.now() - (timings.forwardedAt ?? timings.startedAt));
  const answer = foldAnswer(fillCallIds(events, requestId));
  const rendered = lane.client.client.renderResponse(answer, { ...lane.defaults, latencyMs });
  return Buffer.from(JSON.stringify(rendered));
}

export async function readAnswer({ answer }: ProviderAnswer, exchange: Exchange): Promise<Buffer> {
  try {
    const { bytes, isWhole } = await readWhole(answer.body, plainAnswerBytesMax, (length) =>
      exchange.turn?.memory.add(length * answerMemoryFactor),
    );
    if (isWhole) return bytes;
  } catch (error) {
    throw toUpstreamError(error);
  } finally {
    answer.body.discard();
  }
  const detail = `the answer is longer than ${plainAnswerBytesMax} bytes (request ${exchange.requestId})`;
  throw new GatewayError('upstream_invalid', { detail });
}
