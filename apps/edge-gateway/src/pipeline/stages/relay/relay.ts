import type { Logger } from '@gateway/observability';
import { renderClientHeaders } from '@gateway/providers';
import { parseTokenCount } from '@gateway/wire-formats';
import type { UpstreamAnswer } from '../../../upstream/upstream.port.ts';
import type { RelayOutcome } from '../../exchange/answer.ts';
import { renderAnswerHeaders, type Exchange } from '../../exchange/exchange.ts';
import type { RecoveryRounds } from '../../recovery/recovery-rounds.ts';
import type { Target } from '../../../request/request.ts';
import type { ResponseWriter } from './response-writer.ts';
import { openResponseWriter } from './response-writer.ts';
import { applyRounds, isStream, openProviderAnswer, rejectAnswer, relabelStream } from './provider-answer.ts';
import { relayPlain } from './relay-plain.ts';
import { relayProviderError } from './relay-errors.ts';
import { relayStream } from './relay-stream.ts';
import { toUpstreamError } from '../../../upstream/upstream.port.ts';
import { readWhole } from '../../../upstream/answer-body.ts';

/**
 * Relays the provider's response to the client. If client and provider use the same format, the response is relayed
 * byte for byte. If the formats differ, the response is relayed event by event. If `rounds` is given, the gateway
 * answers calls to its recovery tool itself and hides the calls from the client. The function throws only before
 * the first byte is sent to the client. Failures after the first byte are reported in the stream and in the
 * outcome. Returns undefined if the recovery rounds ended without a response. The caller must forward the client's
 * own request with every tool.
 */
export async function relay(
  answer: UpstreamAnswer,
  target: Target,
  exchange: Exchange,
  services: { log: Logger },
  rounds: RecoveryRounds | null,
): Promise<RelayOutcome | undefined> {
  const passed = openProviderAnswer(answer, exchange);
  const lane: ResponseWriter = openResponseWriter(target, exchange, rounds);
  if (answer.status >= 400) return relayProviderError(passed, lane, exchange);
  if (answer.status < 200 || answer.status >= 300) throw rejectAnswer(answer, `status ${answer.status}`);
  try {
    if (isStream(passed, exchange)) return await relayStream(passed, lane, exchange, services);
    if (!exchange.ledger.stream) return await relayPlain(passed, lane, exchange);
    const relabelled = await relabelStream(passed, lane.client);
    return relabelled === passed
      ? await relayPlain(passed, lane, exchange)
      : await relayStream(relabelled, lane, exchange, services);
  } finally {
    if (rounds !== null) applyRounds(exchange, rounds);
    if (lane.calls !== null) exchange.ledger.deniedTools = lane.calls.names;
  }
}

/** Maximum length of a token count response, in bytes. */
const countBytesMax = 64 * 1024;

/**
 * Relays the provider's token count response unchanged.
 * @throws GatewayError `upstream_invalid` if the response has no token count
 */
export async function relayCount(answer: UpstreamAnswer, exchange: Exchange): Promise<void> {
  const bytes = await readCount(answer);
  parseTokenCount(bytes);
  const passed = renderClientHeaders(answer.headers).headers;
  exchange.response.writeHead(answer.status, {
    ...passed,
    ...renderAnswerHeaders(exchange),
    'content-length': String(bytes.length),
  });
  exchange.response.end(bytes);
}

async function readCount({ body }: UpstreamAnswer): Promise<Buffer> {
  try {
    return (await readWhole(body, countBytesMax)).bytes;
  } catch (error) {
    throw toUpstreamError(error);
  } finally {
    body.discard();
  }
}
