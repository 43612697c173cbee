import { GatewayError } from '@gateway/errors';
import { renderClientHeaders } from '@gateway/providers';
import type { Logger } from '@gateway/observability';
import type { UpstreamAnswer } from '../../answer.ts';
import type { Exchange } from '../../exchange.ts';
import type { RelayOutcome } from '../../relay-outcome.ts';
import { relayPlain } from './relay-plain.ts';
import { relayProviderError } from './relay-provider-error.ts';
import { relayStream } from './relay-stream.ts';

/**
 * Provider's answer → client, byte for byte. Throws only before the first byte has gone out; after it, a failure is
 * told inside the stream, and in the outcome.
 */
export async function relay(
  answer: UpstreamAnswer,
  exchange: Exchange,
  services: { log: Logger },
): Promise<RelayOutcome> {
  const { headers, providerRequestId, contentEncoding } = renderClientHeaders(answer.headers);
  const passed = { answer, headers: { ...headers, ...exchange.headers }, providerRequestId };
  if (contentEncoding !== null)
    throw refuse(answer, `content-encoding ${contentEncoding}, which was not asked for`);
  if (answer.status >= 400) return relayProviderError(passed, exchange);
  if (answer.status < 200 || answer.status >= 300) throw refuse(answer, `status ${answer.status}`);
  const isStream = (headers['content-type'] ?? '').trimStart().toLowerCase().startsWith('text/event-stream');
  return isStream ? relayStream(passed, exchange, services) : relayPlain(passed, exchange);
}

function refuse(answer: UpstreamAnswer, detail: string): GatewayError {
  answer.body.once('error', () => undefined).destroy();
  return new GatewayError('upstream_invalid', { detail: `the provider answered with ${detail}` });
}
