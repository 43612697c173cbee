import { GatewayError } from '@gateway/errors';
import { createSummary } from '@gateway/interchange';
import { formatsOf, renderClientHeaders } from '@gateway/providers';
import { formatNamed } from '@gateway/wire-formats';
import { toPublicError } from '../request/http-response.ts';
import type { UpstreamAnswer } from '../request/upstream-answer.ts';
import type { RelayOutcome } from '../pipeline/exchange/answer.ts';
import { hasLeft, type Exchange } from '../pipeline/exchange/exchange.ts';
import type { Lane } from '../request/request.ts';
import { openLane } from '../pipeline/stages/relay/answer-lane.ts';
import type { PassedAnswer } from '../pipeline/stages/relay/passed-answer.ts';
import { pump } from '../pipeline/stages/relay/pump.ts';
import { relayProviderError } from '../pipeline/stages/relay/relay-provider-error.ts';
import { toUpstreamError } from '../upstream/upstream-error.ts';
import type { OutgoingBody } from './outgoing-body.ts';
import type { ProxyTarget } from './proxy-target.ts';
import { relayMapped } from './relay-mapped.ts';
import { UsageReader } from './usage-reader.ts';

/**
 * The provider's answer, byte for byte, whatever it is: JSON, events, audio; one in a shape of the provider's own in the usual
 * one. Throws only before the first byte.
 */
export async function relayBytes(
  answer: UpstreamAnswer,
  target: ProxyTarget,
  { isMapped, mapAnswer }: Pick<OutgoingBody, 'isMapped' | 'mapAnswer'>,
  exchange: Exchange,
): Promise<RelayOutcome> {
  const { headers, providerRequestId, contentEncoding } = renderClientHeaders(answer.headers);
  const passed = {
    answer,
    headers: { ...headers, ...lengthOf(answer), ...exchange.headers },
    providerRequestId,
  };
  if (contentEncoding !== null || answer.status < 200 || (answer.status >= 300 && answer.status < 400)) {
    answer.body.discard();
    const detail = `the provider answered with status ${answer.status}, content-encoding ${contentEncoding ?? 'none'}`;
    throw new GatewayError('upstream_invalid', { detail });
  }
  if (answer.status >= 400) {
    const [own] = isMapped ? formatsOf(target.provider) : [];
    const lane: Lane = own === undefined ? usualLane : { kind: 'translated', format: own };
    const errorLane = openLane({ ...target, lane }, exchange, null);
    return relayProviderError(
      { ...passed, headers: { ...headers, ...exchange.headers } },
      errorLane,
      exchange,
    );
  }
  return mapAnswer === undefined ? passBytes(passed, exchange) : relayMapped(passed, mapAnswer, exchange);
}

const usualLane: Lane = { kind: 'same-format', format: 'chat-completions' };

function lengthOf({ headers }: UpstreamAnswer): Record<string, string> {
  const length = headers['content-length'];
  return typeof length === 'string' ? { 'content-length': length } : {};
}

async function passBytes(passed: PassedAnswer, exchange: Exchange): Promise<RelayOutcome> {
  const { response, timings } = exchange;
  const type = passed.headers['content-type'] ?? '';
  const usage = new UsageReader(type);
  exchange.ledger.stream = type.includes('event-stream');
  const start = (): void => {
    timings.firstByteAt ??= performance.now();
    passed.answer.begun();
    if (!response.headersSent) response.writeHead(passed.answer.status, passed.headers);
  };
  try {
    await pump(passed.answer.body, response, (chunk) => {
      start();
      usage.push(chunk);
      return [chunk];
    });
  } catch (error) {
    return breakOff(toUpstreamError(error), passed, exchange);
  }
  start();
  response.end();
  const told = usage.end();
  return {
    status: 'ok',
    httpStatus: passed.answer.status,
    errorCode: null,
    errorMessage: null,
    errorDetail: null,
    providerRequestId: passed.providerRequestId,
    summary: told === undefined ? null : { ...createSummary(), usage: told },
  };
}

/** A stream of events ends with an event that says so; of anything else the client sees that bytes are missing. */
function breakOff(error: GatewayError, passed: PassedAnswer, exchange: Exchange): RelayOutcome {
  const { response, ledger } = exchange;
  const left = hasLeft(exchange);
  if (!left && !response.headersSent) throw error;
  if (!left && ledger.stream) {
    const event = formatNamed('chat-completions').client.renderStreamError(
      toPublicError(error),
      exchange.requestId,
    );
    // An unfinished event would swallow the one that follows it.
    response.write('\n\n');
    response.end(event);
  } else if (!left) response.destroy();
  return {
    status: left ? 'cancelled' : 'truncated',
    httpStatus: response.headersSent ? passed.answer.status : null,
    errorCode: left ? null : error.code,
    errorMessage: left ? null : error.message,
    errorDetail: error.detail ?? null,
    providerRequestId: passed.providerRequestId,
    summary: null,
  };
}
