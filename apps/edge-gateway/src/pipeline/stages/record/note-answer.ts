import type { RequestEventV1 } from '@gateway/contracts';
import type { ModelRouter } from '../../../routing/model-router.ts';
import type { SeenAnswer } from '../../../routing/observations.ts';
import type { Exchange } from '../../exchange/exchange.ts';

/** Minimum number of output tokens for measuring the speed of a model. */
const tokensMin = 8;
/** In a non-streaming response, the first token is assumed to take as long as this number of later tokens. */
const firstTokenWorth = 50;

/** Reports the speed of the model to the model router, and records that this model serves the conversation. */
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
    // Only the last recovery round counts, because each round repeats the whole conversation.
    inputTokens: exchange.rounds?.usages.at(-1)?.inputTokens ?? event.usage?.inputTokens ?? 0,
    chosen: exchange.modelChoice,
  });
}

/**
 * Measures the time to the first token and the time per token. The time per token is null for short streams. The
 * duration of a non-streaming response is split between the first token and the remaining tokens. Returns null after
 * recovery rounds, because their times and tokens belong to several provider calls. Returns null for a request that
 * contains a credential, because its region may be slower than the region of the stored credential.
 */
function timeAnswer({ attempts, timings, ledger }: Exchange, outputTokens: number): SeenAnswer | null {
  const { firstByteAt } = timings;
  const calledAt = attempts.current?.sentAt;
  if (calledAt === undefined || firstByteAt === undefined || ledger.recoveryRounds > 0) return null;
  if (attempts.current?.target.ownCredential !== null) return null;
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
