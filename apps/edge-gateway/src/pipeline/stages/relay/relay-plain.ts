import { GatewayError } from '@gateway/errors';
import { createSummary, summarize } from '@gateway/interchange';
import type { Exchange } from '../../exchange/exchange.ts';
import type { RelayOutcome } from '../../exchange/answer.ts';
import type { AnswerLane } from './answer-lane.ts';
import type { PassedAnswer } from './passed-answer.ts';
import { endPlain, isJson, passUnread, readAnswer, writeAnswer } from './plain-answer.ts';
import { relayPlainRounds } from './relay-plain-rounds.ts';

/** A plain answer: whole and readable, or a clean error instead. In the same format the client gets the provider's bytes. */
export async function relayPlain(
  passed: PassedAnswer,
  lane: AnswerLane,
  exchange: Exchange,
): Promise<RelayOutcome> {
  if (lane.rounds !== null) return relayPlainRounds(passed, lane, lane.rounds, exchange);
  const bytes = await readAnswer(passed, exchange);
  if (lane.isSameFormat && !isJson(passed)) return passUnread(bytes, passed, exchange);
  const events = lane.provider.provider.parseResponse(bytes);
  const summary = events.reduce(summarize, createSummary());
  const failure = summary.error;
  // A client that waits for a stream, or for another format, would take an error with status 200 for an empty answer.
  if (failure !== undefined && (exchange.ledger.stream || !lane.isSameFormat))
    throw new GatewayError('provider_error', { message: failure.message });
  writeAnswer(lane.isSameFormat ? bytes : null, events, passed, lane, exchange);
  return endPlain(passed, summary, exchange);
}
