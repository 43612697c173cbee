import { GatewayError } from '@gateway/errors';
import { renderClientHeaders } from '@gateway/providers';
import type { Logger } from '@gateway/observability';
import type { UpstreamAnswer } from '../../answer.ts';
import type { Exchange } from '../../exchange.ts';
import type { RelayOutcome } from '../../relay-outcome.ts';
import type { Target } from '../../target.ts';
import { openLane, type AnswerLane } from './answer-lane.ts';
import { relayPlain } from './relay-plain.ts';
import { relayProviderError } from './relay-provider-error.ts';
import { relayStream } from './relay-stream.ts';

/**
 * Provider's answer → client: byte for byte where both speak one format, else event by event. Throws only before the
 * first byte has gone out; after it, a failure is told inside the stream, and in the outcome.
 */
export async function relay(
  answer: UpstreamAnswer,
  target: Target,
  exchange: Exchange,
  services: { log: Logger },
): Promise<RelayOutcome> {
  const { headers, providerRequestId, contentEncoding } = renderClientHeaders(answer.headers);
  const lane: AnswerLane = openLane(target, exchange);
  const passed = { answer, headers: { ...headers, ...exchange.headers }, providerRequestId };
  if (contentEncoding !== null)
    throw refuse(answer, `content-encoding ${contentEncoding}, which was not asked for`);
  if (answer.status >= 400) return relayProviderError(passed, lane, exchange);
  if (answer.status < 200 || answer.status >= 300) throw refuse(answer, `status ${answer.status}`);
  return isStream(headers['content-type'] ?? '', exchange.ledger.stream)
    ? relayStream(passed, lane, exchange, services)
    : relayPlain(passed, lane, exchange);
}

/** Server-sent events, and AWS's binary frames. */
const streamTypes = ['text/event-stream', 'application/vnd.amazon.eventstream'];

/** Some providers do not declare the stream that was asked for; none sends JSON as one. */
function isStream(contentType: string, wasAskedFor: boolean): boolean {
  const declared = contentType.trimStart().toLowerCase();
  return streamTypes.some((type) => declared.startsWith(type)) || (declared === '' && wasAskedFor);
}

function refuse(answer: UpstreamAnswer, detail: string): GatewayError {
  answer.body.once('error', () => undefined).destroy();
  return new GatewayError('upstream_invalid', { detail: `the provider answered with ${detail}` });
}
