import { GatewayError, toGatewayError } from '@gateway/errors';
import type { Logger } from '@gateway/observability';
import { formatNamed } from '@gateway/wire-formats';
import { toPublicError } from '../../../http/render-error.ts';
import { toUpstreamError } from '../../../upstream/upstream-error.ts';
import type { Exchange } from '../../exchange.ts';
import type { RelayOutcome } from '../../relay-outcome.ts';
import { FrameGate } from './frame-gate.ts';
import type { PassedAnswer } from './passed-answer.ts';
import { pump } from './pump.ts';
import { StreamReader } from './stream-reader.ts';

/** The longest event that is read; longer ones are not what a model says. */
const frameBytesMax = 1024 * 1024;

/** An event stream, frame by frame. The status goes out with the first whole frame, so an earlier failure is a clean error. */
export async function relayStream(
  passed: PassedAnswer,
  exchange: Exchange,
  services: { log: Logger },
): Promise<RelayOutcome> {
  const { response, timings } = exchange;
  const reader = new StreamReader(formatNamed(exchange.format));
  const gate = new FrameGate(frameBytesMax);
  const take = (chunk: Buffer): readonly Buffer[] => {
    reader.push(chunk);
    const released = gate.push(chunk);
    if (released.length > 0 && timings.firstByteAt === undefined) {
      timings.firstByteAt = performance.now();
      response.writeHead(passed.answer.status, passed.headers);
    }
    return released;
  };
  try {
    await pump(passed.answer.body, response, take);
    reader.end();
  } catch (error) {
    // A reset after the terminator takes nothing from the answer.
    if (!reader.summary.sawEnd) return breakStream(toStreamError(error), passed, reader, exchange, services);
  }
  return endStream(passed, reader, gate, exchange);
}

function endStream(
  passed: PassedAnswer,
  reader: StreamReader,
  gate: FrameGate,
  exchange: Exchange,
): RelayOutcome {
  const { response } = exchange;
  const { summary } = reader;
  if (!response.headersSent) response.writeHead(passed.answer.status, passed.headers);
  for (const rest of gate.rest()) response.write(rest);
  if (!summary.sawEnd && summary.error === undefined) {
    response.write(
      formatNamed(exchange.format).client.renderStreamError(toPublicError(truncated), exchange.requestId),
    );
  }
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

/** After the first byte: the format's own error event, and no success terminator. Before it: an ordinary error. */
function breakStream(
  error: GatewayError,
  passed: PassedAnswer,
  reader: StreamReader,
  exchange: Exchange,
  { log }: { log: Logger },
): RelayOutcome {
  const { response } = exchange;
  const left = exchange.abort.signal.aborted;
  if (!left && !response.headersSent) throw error;
  if (!left) {
    log.warn({ err: error, request_id: exchange.requestId }, 'a stream broke');
    response.end(
      formatNamed(exchange.format).client.renderStreamError(toPublicError(error), exchange.requestId),
    );
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
