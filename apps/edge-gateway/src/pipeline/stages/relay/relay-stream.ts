import type { ResponseSummary, StreamEvent } from '@gateway/interchange';
import { createSummary, summarize } from '@gateway/interchange';
import { GatewayError, toGatewayError } from '@gateway/errors';
import type { StreamParser, WireFormat } from '@gateway/wire-formats';
import type { Logger } from '@gateway/observability';
import type { UpstreamAnswer } from '../../../upstream/upstream.port.ts';
import { readWhole } from '../../../upstream/answer-body.ts';
import { toUpstreamError } from '../../../upstream/upstream.port.ts';
import { hasLeft, renderAnswerHeaders, type Exchange } from '../../exchange/exchange.ts';
import type { RelayOutcome } from '../../exchange/answer.ts';
import type { Continuation } from '../../recovery/prior-rounds.ts';
import type { ResponseWriter } from './response-writer.ts';
import type { StreamWriter } from './pass-until-withheld.ts';
import type { ProviderAnswer } from './provider-answer.ts';
import {
  applyRounds,
  isStream,
  openProviderAnswer,
  pump,
  rejectAnswer,
  relabelStream,
} from './provider-answer.ts';
import { redactErrorEvents, redactErrorFrames, redactErrorText } from './redact-errors.ts';
import { readAnswer } from './relay-plain.ts';
import { breakOff, relayProviderError, truncatedStream } from './relay-errors.ts';
import { StreamMemory } from './stream-memory.ts';

/**
 * Parses a stream while it is being relayed. Memory use is bounded, because only a log summary and at most
 * one incomplete frame are stored.
 */
export class StreamReader {
  readonly #parser: StreamParser;
  readonly #secrets: readonly string[];
  #summary: ResponseSummary = createSummary();

  /** @param secrets the secret values in the credential of the provider call, which must not occur in error texts */
  constructor(format: WireFormat, secrets: readonly string[] = []) {
    this.#parser = format.provider.openStreamParser();
    this.#secrets = secrets;
  }

  get summary(): ResponseSummary {
    return this.#summary;
  }

  /**
   * The reason why the latest chunk could not be parsed completely. Undefined if the chunk was parsed
   * completely.
   */
  get failure(): GatewayError | undefined {
    return this.#parser.failure;
  }

  /**
   * Parses a chunk of the stream.
   * @throws GatewayError `upstream_invalid` if no client of this format can parse the bytes
   */
  push(chunk: Uint8Array): readonly StreamEvent[] {
    return this.note(this.#parser.push(chunk));
  }

  /** Callers must call this method when the provider has ended the stream. */
  end(): readonly StreamEvent[] {
    return this.note(this.#parser.end());
  }

  /** Adds events from a non-streaming response, which another component parsed. */
  note(events: readonly StreamEvent[]): readonly StreamEvent[] {
    const shown = redactErrorEvents(events, this.#secrets);
    for (const event of shown) this.#summary = summarize(this.#summary, event);
    return shown;
  }
}

/** The parsed state and the writer of an open stream. */
interface OpenStream {
  readonly passed: ProviderAnswer;
  readonly lane: ResponseWriter;
  readonly reader: StreamReader;
  readonly writer: StreamWriter;
  readonly exchange: Exchange;
}

/**
 * Relays a stream frame by frame. The status is sent with the first complete frame, so an earlier failure
 * becomes an ordinary error response. Returns undefined if the recovery rounds ended without a response and the
 * request must be forwarded again.
 */
export async function relayStream(
  passed: ProviderAnswer,
  lane: ResponseWriter,
  exchange: Exchange,
  services: { log: Logger },
): Promise<RelayOutcome | undefined> {
  const reader = new StreamReader(lane.provider, passed.answer.secrets);
  let stream: OpenStream = { passed, lane, reader, writer: lane.openStreamWriter(), exchange };
  try {
    for (;;) {
      const next = await runRound(stream);
      if (next.kind === 'fresh-start') return undefined;
      if (next.kind === 'complete') return endStream(stream);
      stream = await openNextStream(stream, next.answer);
      if (next.answer.status >= 400) {
        if (!exchange.response.headersSent) return await relayProviderError(stream.passed, lane, exchange);
        throw await readFailure(stream.passed, lane);
      }
    }
  } catch (error) {
    return breakStream(toStreamError(error), stream, services);
  }
}

/**
 * Relays the response of a recovery round to its end, and sends the next request if another round follows. If
 * a later recovery round fails, another request may replace the failed round.
 */
async function runRound(stream: OpenStream): Promise<Continuation> {
  const { lane, reader, exchange } = stream;
  const { rounds } = lane;
  try {
    await readRound(stream);
  } catch (error) {
    const next = hasLeft(exchange) ? undefined : await rounds?.afterFailure();
    if (next === undefined) throw error;
    // A new parser is used, so that the next response is not parsed as the rest of an incomplete frame.
    stream.writer.left();
    return next;
  }
  const { sawEnd, error } = reader.summary;
  const isComplete = sawEnd && error === undefined;
  const next = isComplete ? await rounds?.next() : await rounds?.afterFailure();
  return next ?? { kind: 'complete' };
}

async function openNextStream(stream: OpenStream, answer: UpstreamAnswer): Promise<OpenStream> {
  const { lane, exchange } = stream;
  const reader = new StreamReader(lane.provider, answer.secrets);
  const opened = openProviderAnswer(answer, exchange);
  const mayBeStream = answer.status < 400 && !isStream(opened, exchange);
  return { ...stream, passed: mayBeStream ? await relabelStream(opened, lane.client) : opened, reader };
}

async function readRound(stream: OpenStream): Promise<void> {
  const { passed, lane, reader, exchange } = stream;
  try {
    const { status } = passed.answer;
    if (status < 200 || status >= 300) throw rejectAnswer(passed.answer, `status ${status}`);
    // The content type of the first response was checked before, so the first response is a stream.
    // The response of a later recovery round may have a different content type.
    if (lane.rounds !== null && !isStream(passed, exchange)) {
      await readPlainRound(stream);
      return;
    }
    const { writer } = stream;
    const memory = new StreamMemory(stream);
    const takeAll = (pieces: readonly Buffer[]): readonly Uint8Array[] =>
      pieces.flatMap((piece) => {
        const events = read(stream, piece);
        memory.noteEvents(piece, events);
        return take(stream, piece, events);
      });
    await pump(passed.answer.body, exchange.response, (chunk) => {
      const written = takeAll(writer.split(chunk));
      memory.noteChunk(chunk, written.length > 0);
      return written;
    });
    for (const part of takeAll(writer.left())) exchange.response.write(part);
    const last = take(stream, Buffer.alloc(0), reader.end());
    for (const part of last) exchange.response.write(part);
  } catch (error) {
    // A connection reset after the terminator of the stream does not affect the response.
    if (!reader.summary.sawEnd) throw error;
  }
}

async function readPlainRound(stream: OpenStream): Promise<void> {
  const { passed, lane, reader, exchange } = stream;
  const bytes = await readAnswer(passed, exchange);
  const events = reader.note(lane.provider.provider.parseResponse(bytes));
  for (const part of take(stream, bytes, events)) exchange.response.write(part);
}

/** Handles a provider error in a later recovery round, after the client has received part of the response. */
async function readFailure({ answer }: ProviderAnswer, lane: ResponseWriter): Promise<GatewayError> {
  const body = await readWhole(answer.body, failureBytesMax);
  const text = redactErrorText(body.bytes.toString('utf8'), answer.secrets);
  const { message } = lane.provider.provider.parseError(answer.status, text, answer.headers);
  answer.body.discard();
  return new GatewayError('provider_error', { message });
}

const failureBytesMax = 64 * 1024;

/** If client and provider use the same format, a chunk with a corrupt frame must not reach the client. */
function read({ reader, lane, passed }: OpenStream, chunk: Buffer): readonly StreamEvent[] {
  const events = reader.push(chunk);
  if (reader.summary.sawEnd && reader.summary.error === undefined) passed.answer.ended();
  if (lane.isSameFormat && reader.failure !== undefined && !reader.summary.sawEnd) throw reader.failure;
  return events;
}

function take(stream: OpenStream, chunk: Buffer, events: readonly StreamEvent[]): readonly Uint8Array[] {
  const { timings } = stream.exchange;
  const rendered = stream.writer.write(chunk, events);
  const written = stream.reader.summary.error === undefined ? rendered : withoutSecrets(rendered, stream);
  if (written.length > 0 && timings.firstByteAt === undefined) {
    timings.firstByteAt = performance.now();
    if (stream.lane.rounds !== null) applyRounds(stream.exchange, stream.lane.rounds);
    stream.passed.answer.begun();
    startAnswer(stream);
  }
  return written;
}

/** Redacts the provider credential in the provider's own frames that include an error. */
function withoutSecrets(parts: readonly Uint8Array[], { passed, lane }: OpenStream): readonly Uint8Array[] {
  if (!lane.isSameFormat || parts.length === 0) return parts;
  const { framing } = lane.client.client;
  return [redactErrorFrames(Buffer.concat(parts), framing, passed.answer.secrets)];
}

function startAnswer({ passed, lane, exchange }: OpenStream): void {
  const type = lane.client.client.streamContentType;
  const isOwn = lane.isSameFormat && lane.rounds === null && lane.calls === null;
  const headers = isOwn
    ? { 'content-type': type, ...passed.headers }
    : { ...passed.headers, ...renderAnswerHeaders(exchange), 'content-type': type };
  exchange.response.writeHead(passed.answer.status, headers);
}

function endStream(stream: OpenStream): RelayOutcome {
  const { passed, lane, reader, writer, exchange } = stream;
  const { response } = exchange;
  const { summary } = reader;
  if (!summary.sawEnd && summary.error === undefined) throw truncatedStream;
  const rest = lane.rounds !== null && summary.error !== undefined ? [] : writer.rest();
  const shown = summary.error === undefined ? rest : withoutSecrets(rest, stream);
  if (lane.rounds !== null) applyRounds(exchange, lane.rounds);
  if (!response.headersSent) startAnswer(stream);
  for (const part of shown) response.write(part);
  response.end();
  return {
    status: summary.error ? 'truncated' : 'ok',
    httpStatus: passed.answer.status,
    errorCode: summary.error ? 'provider_error' : null,
    errorMessage: summary.error?.message ?? null,
    errorDetail: null,
    providerRequestId: passed.providerRequestId,
    summary: lane.rounds?.summary ?? summary,
  };
}

/**
 * Ends a broken stream. After the first byte was sent to the client, the function sends the format's own error
 * event, without a success terminator. If no byte was sent, the function throws the error, and the client receives
 * an ordinary error response.
 */
function breakStream(error: GatewayError, stream: OpenStream, { log }: { log: Logger }): RelayOutcome {
  const { passed, lane, reader, exchange } = stream;
  const { response } = exchange;
  const left = hasLeft(exchange);
  if (!left && !response.headersSent) throw error;
  if (!left) {
    log.warn({ err: error, request_id: exchange.requestId }, 'provider stream broke');
    breakOff(error, exchange);
  }
  return {
    status: left ? 'cancelled' : 'truncated',
    httpStatus: response.headersSent ? passed.answer.status : null,
    errorCode: left ? null : error.code,
    errorMessage: left ? null : error.message,
    errorDetail: error.detail ?? null,
    providerRequestId: passed.providerRequestId,
    summary: lane.rounds?.summary ?? reader.summary,
  };
}

function toStreamError(error: unknown): GatewayError {
  const mapped = toGatewayError(error);
  return mapped.code === 'internal_error' ? toUpstreamError(error) : mapped;
}
