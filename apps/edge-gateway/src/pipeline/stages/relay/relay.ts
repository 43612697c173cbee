import type { Logger } from '@gateway/observability';
import type { UpstreamAnswer } from '../../../request/upstream-answer.ts';
import type { RelayOutcome } from '../../exchange/answer.ts';
import type { Exchange } from '../../exchange/exchange.ts';
import type { RecoveryRounds } from '../../recovery/recovery-rounds.ts';
import type { Target } from '../../../request/request.ts';
import { openLane, type AnswerLane } from './answer-lane.ts';
import { isStream } from './is-stream.ts';
import { relayPlain } from './relay-plain.ts';
import { relayProviderError } from './relay-provider-error.ts';
import { relayStream } from './relay-stream.ts';
import { noteRounds, passAnswer, refuseAnswer } from './rounds-answer.ts';

/**
 * Provider's answer → client: byte for byte where both speak one format, else event by event. `rounds` are made where the
 * request has a net under it: then what the model asks of the gateway's own tool is answered here, and never shown. Throws
 * only before the first byte has gone out; after it, a failure is told inside the stream, and in the outcome.
 */
export async function relay(
  answer: UpstreamAnswer,
  target: Target,
  exchange: Exchange,
  services: { log: Logger },
  rounds: RecoveryRounds | null,
): Promise<RelayOutcome> {
  const passed = passAnswer(answer, exchange);
  const lane: AnswerLane = openLane(target, exchange, rounds);
  if (answer.status >= 400) return relayProviderError(passed, lane, exchange);
  if (answer.status < 200 || answer.status >= 300) throw refuseAnswer(answer, `status ${answer.status}`);
  try {
    return isStream(passed, exchange)
      ? await relayStream(passed, lane, exchange, services)
      : await relayPlain(passed, lane, exchange);
  } finally {
    if (rounds !== null) noteRounds(exchange, rounds);
  }
}
