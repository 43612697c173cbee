import type { RequestEventV1 } from '@gateway/contracts';
import type { ModelRouter } from '../../../routing/model-router.ts';
import type { SeenAnswer } from '../../../routing/observations.ts';
import type { Exchange } from '../../exchange/exchange.ts';

/** A pace can be told of an answer with so many tokens. */
const tokensMin = 8;
/** What an answer that comes whole says of its first token: it is taken to take as long as so many of the others. */
const firstTokenWorth = 50;

/** What an answer shows of its model: how fast it is, and that the session is with it. */
export function noteAnswer(
  exchange: Exchange,
  event: RequestEventV1 | null,
  modelRouter: Pick<ModelRouter, 'noteAnswer'>,
): void {
  if (event === null || event.provider === null || event.model === null || event.status === 'error') return;
  if (exchange.timings.firstByteAt === undefined) return;
  modelRouter.noteAnswer({
    accountId: event.accountId,
    id: `${event.provider}/${event.model}`,
    seen: event.status === 'ok' ? timeAnswer(exchange, event.usage?.outputTokens ?? 0) : null,
    // Each round says all of the conversation again: together they are longer than it is.
    inputTokens: exchange.rounds?.usages.at(-1)?.inputTokens ?? event.usage?.inputTokens ?? 0,
    chosen: exchange.modelChoice,
  });
}

/**
 * Undefined pace: too short an answer. What came whole is divided between its first token and the others. Null where hidden
 * rounds were made: times and tokens are of several calls.
 */
function timeAnswer({ attempts, timings, ledger }: Exchange, outputTokens: number): SeenAnswer | null {
  const { firstByteAt } = timings;
  const calledAt = attempts.current?.sentAt;
  if (calledAt === undefined || firstByteAt === undefined || ledger.recoveryRounds > 0) return null;
  const waitedMs = Math.max(0, firstByteAt - calledAt);
  if (ledger.stream) {
    const tookMs = performance.now() - firstByteAt;
    return {
      firstTokenMs: waitedMs,
      msPerToken: outputTokens < tokensMin ? null : tookMs / (outputTokens - 1),
    };
  }
  const msPerToken = waitedMs / (outputTokens + firstTokenWorth);
  return { firstTokenMs: msPerToken * firstTokenWorth, msPerToken };
}
