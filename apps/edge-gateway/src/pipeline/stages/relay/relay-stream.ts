import { GatewayError, toGatewayError } from '@gateway/errors';
import type { StreamEvent } from '@gateway/interchange';
import type { Logger } from '@gateway/observability';
import { toPublicError } from '../../../http/render-error.ts';
import { toUpstreamError } from '../../../upstream/upstream-error.ts';
import { hasLeft, type Exchange } from '../../exchange.ts';
import type { RelayOutcome } from '../../relay-outcome.ts';
import type { AnswerLane, StreamWriter } from './answer-lane.ts';
import type { PassedAnswer } from './passed-answer.ts';
import { pump } from './pump.ts';
import { StreamReader } from './stream-reader.ts';

/** A stream on its way: what was read of it, and what writes it to the client. */
interface OpenStream {
  readonly passed: PassedAnswer;
  readonly lane: AnswerLane;
  readonly reader: StreamReader;
  readonly writer: StreamWriter;
  readonly exchange: Exchange;
}

/** A stream, frame by frame. The status goes out with the first whole frame, so an earlier failure is a clean error. */
export async function relayStream(
  passed: PassedAnswer,
  lane: AnswerLane,
  exchange: Exchange,
  services: { log: Logger },
): Promise<RelayOutcome> {
  const reader = new StreamReader(lane.provider);
  const stream: OpenStream = { passed, lane, reader, writer: lane.openStreamWriter(), exchange };
  try {
    await pump(passed.answer.body, exchange.response, (chunk) => take(stream, chunk, read(stream, chunk)));
    const last = take(stream, Buffer.alloc(0), reader.end());
    for (const part of last) exchange.response.write(part);
  } catch (error) {
    // A reset after the terminator takes nothing from the answer.
    if (!reader.summary.sawEnd) return breakStream(toStreamError(error), stream, services);
  }
  return endStream(stream);
}

/** Where the provider's bytes go on as they are, a chunk with a corrupt frame in it does not. */
function read({ reader, lane }: OpenStream, chunk: Buffer): readonly StreamEvent[] {
  const events = reader.push(chunk);
  if (lane.isSameFormat && reader.failure !== undefined && !reader.summary.sawEnd) throw reader.failure;
  return events;
}

function take(stream: OpenStream, chunk: Buffer, events: readonly StreamEvent[]): readonly Uint8Array[] {
  const { timings } = stream.exchange;
  const written = stream.writer.write(chunk, events);
  if (written.length > 0 && timings.firstByteAt === undefined) {
    timings.firstByteAt = performance.now();
    startAnswer(stream);
  }
  return written;
}

function startAnswer({ passed, lane, exchange }: OpenStream): void {
  const type = lane.client.client.streamContentType;
  const headers = lane.isSameFormat
    ? { 'content-type': type, ...passed.headers }
    : { ...passed.headers, 'content-type': type };
  exchange.response.writeHead(passed.answer.status, headers);
}

function endStream(stream: OpenStream): RelayOutcome {
  const { passed, reader, writer, exchange } = stream;
  const { response } = exchange;
  const { summary } = reader;
  const isTruncated = !summary.sawEnd && summary.error === undefined;
  if (isTruncated && !response.headersSent) throw truncated;
  if (!response.headersSent) startAnswer(stream);
  // The beginning of a frame would swallow the error event that follows it.
  const last = isTruncated ? [renderFailure(stream, truncated)] : writer.rest();
  for (const part of last) response.write(part);
  response.end();
  const failed = summary.error !== undefined || !summary.sawEnd;
  return {
    status: failed ? 'truncated' : 'ok',
    httpStatus: passed.answer.status,
    errorCode: summary.error ? 'provider_error' : failed ? 'upstream_invalid' : null,
    errorMessage: summary.error?.message ?? (failed ? truncated.message : null),
    errorDetail: null,
    providerRequestId: passed.providerRequestId,
    summary,
  };
}

const truncated = new GatewayError('upstream_invalid', {
  message: 'The provider ended its answer before it was complete.',
});

function renderFailure({ lane, exchange }: OpenStream, error: GatewayError): string | Uint8Array {
  return lane.client.client.renderStreamError(toPublicError(error), exchange.requestId);
}

/** After the first byte: the format's own error event, and no success terminator. Before it: an ordinary error. */
function breakStream(error: GatewayError, stream: OpenStream, { log }: { log: Logger }): RelayOutcome {
  const { passed, reader, exchange } = stream;
  const { response } = exchange;
  const left = hasLeft(exchange);
  if (!left && !response.headersSent) throw error;
  if (!left) {
    log.warn({ err: error, request_id: exchange.requestId }, 'a stream broke');
    response.end(renderFailure(stream, error));
  }
  return {
    status: left ? 'cancelled' : 'truncated',
    httpStatus: response.headersSent ? passed.answer.status : null,
    errorCode: left ? null : error.code,
    errorMessage: left ? null : error.message,
    errorDetail: error.detail ?? null,
    providerRequestId: passed.providerRequestId,
    summary: reader.summary,
  };
}

function toStreamError(error: unknown): GatewayError {
  const mapped = toGatewayError(error);
  return mapped.code === 'internal_error' ? toUpstreamError(error) : mapped;
}
