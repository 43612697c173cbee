import type { RequestEventV1 } from '@gateway/contracts';
import type { ModelRouter } from '../../../routing/model-router.ts';
import type { SeenAnswer } from '../../../routing/observations.ts';
import type { Exchange } from '../../exchange/exchange.ts';

/** The pace is measured only of responses with at least this many output tokens. */
const tokensMin = 8;
/** The first token of a non-streaming response is estimated to take as long as this many other tokens. */
const firstTokenWorth = 50;

/** Reports to the model router how fast the model is, and that it serves this conversation. */
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
    // Each round repeats the whole conversation, so the sum of all rounds is longer than the conversation.
    inputTokens: exchange.rounds?.usages.at(-1)?.inputTokens ?? event.usage?.inputTokens ?? 0,
    chosen: exchange.modelChoice,
  });
}

/**
 * A short answer has no pace. The time of a non-streaming response is divided between its first token and the others.
 * Null after recovery rounds, because times and tokens belong to several calls.
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
