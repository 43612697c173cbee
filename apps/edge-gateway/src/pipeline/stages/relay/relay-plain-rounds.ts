import { GatewayError } from '@gateway/errors';
import type { StreamEvent } from '@gateway/interchange';
import type { Exchange } from '../../exchange/exchange.ts';
import type { RecoveryRounds } from '../../recovery/recovery-rounds.ts';
import type { RelayOutcome } from '../../exchange/answer.ts';
import type { AnswerLane } from './answer-lane.ts';
import { fillCallIds } from './fill-call-ids.ts';
import type { PassedAnswer } from './passed-answer.ts';
import { endPlain, isJson, passUnread, readAnswer, writeAnswer } from './plain-answer.ts';
import { relayProviderError } from './relay-provider-error.ts';
import { noteRounds, passAnswer, refuseAnswer } from './rounds-answer.ts';

/** A plain answer of one round or more. One that holds nothing of the net's goes on in the provider's own bytes. */
export async function relayPlainRounds(
  first: PassedAnswer,
  lane: AnswerLane,
  rounds: RecoveryRounds,
  exchange: Exchange,
): Promise<RelayOutcome> {
  const shown: StreamEvent[] = [];
  let passed = first;
  for (;;) {
    const bytes = await readAnswer(passed, exchange);
    if (lane.isSameFormat && !isJson(passed)) return passUnread(bytes, passed, exchange);
    const events = lane.provider.provider.parseResponse(bytes);
    shown.push(...rounds.push(fillCallIds(events, exchange.requestId, rounds.count)));
    const failure = rounds.summary.error;
    const next = failure === undefined ? await rounds.next() : undefined;
    if (next === undefined) {
      const isOwn = rounds.isUnchanged && lane.isSameFormat;
      if (failure !== undefined && (exchange.ledger.stream || !isOwn))
        throw new GatewayError('provider_error', { message: failure.message });
      shown.push(...rounds.rest());
      noteRounds(exchange, rounds);
      const withRounds = { ...passed, headers: { ...passed.headers, ...exchange.headers } };
      writeAnswer(isOwn ? bytes : null, shown, withRounds, lane, exchange);
      return endPlain(passed, rounds.summary, exchange);
    }
    passed = passAnswer(next, exchange);
    if (next.status >= 400) return relayProviderError(passed, lane, exchange);
    if (next.status < 200 || next.status >= 300) throw refuseAnswer(next, `status ${next.status}`);
  }
}
