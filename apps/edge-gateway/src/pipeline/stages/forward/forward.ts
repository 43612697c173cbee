import type { Logger } from '@gateway/observability';
import { EditedBytes } from '@gateway/wire-formats';
import type { Caller, Target } from '../../../request/request.ts';
import { derivePromptCacheKey } from '../../../request/prompt-caching.ts';
import { passOver } from '../../../upstream/answer-body.ts';
import type { ChatAnswer } from '../../exchange/answer.ts';
import { noteWithoutDeferral, type Exchange } from '../../exchange/exchange.ts';
import type { Outbound, ToolPlan } from '../../exchange/tool-plan.ts';
import { callProvider, type CallServices } from './call-provider.ts';
import { sendBound, type GuardServices, type SentRequest } from './guard-binding.ts';
import { tryCandidates, type TryServices } from './try-candidates.ts';

type ForwardServices = TryServices & CallServices & GuardServices & { readonly log: Logger };

/** The HTTP status with which a provider rejects invalid requests. */
const invalidRequest = 400;

/**
 * Forwards the request and resolves with the provider's status and headers. The client does not notice a failed
 * attempt if another attempt succeeds (see `tryCandidates`). If a response breaks before its first byte, the
 * relay abandons the response (`ChatAnswer.giveUp`) and the request is forwarded again. If a provider rejects a
 * request with deferred tools, the request is sent again with all tools. A plan must never make a request fail.
 */
export function forward(
  outbound: Outbound,
  target: Target,
  exchange: Exchange,
  caller: Caller,
  services: ForwardServices,
): Promise<ChatAnswer> {
  const { plainBodyFor, plan } = outbound;
  const sendOnce = (request: SentRequest): Promise<ChatAnswer> =>
    send(request, target, exchange, caller, services);
  if (plan.bound !== undefined && plan.bound.abandon === undefined)
    return sendBound(outbound, plan.bound, target, exchange, sendOnce, services);
  const sent = sendOnce(outbound);
  if (plainBodyFor === null) return sent;
  return sent.then((answer) => {
    if (answer.status !== invalidRequest) return answer;
    passOver(answer.body);
    const { requestId } = exchange;
    services.log.warn(
      { requestId, model: target.model },
      'provider rejected deferred tools, sending all tools',
    );
    exchange.attempts.current?.span?.end();
    noteWithoutDeferral(exchange);
    const plain = { ...outbound, body: plainBodyFor(target), edited: undefined, bodyFor: plainBodyFor };
    return sendOnce(plain).then((again) => abandonDeferral(again, plan, exchange, services));
  });
}

/** Turns off deferral for the conversation if the provider accepted the request without deferral. */
async function abandonDeferral(
  answer: ChatAnswer,
  { bound }: ToolPlan,
  { requestId }: Exchange,
  { log }: ForwardServices,
): Promise<ChatAnswer> {
  if (bound?.abandon === undefined || answer.status >= invalidRequest) return answer;
  await bound.abandon().catch((error: unknown) => {
    log.warn({ err: error, requestId }, 'failed to replace the conversation plan');
  });
  return answer;
}

function send(
  outbound: SentRequest,
  target: Target,
  exchange: Exchange,
  caller: Caller,
  services: ForwardServices,
): Promise<ChatAnswer> {
  return tryCandidates(
    {
      target,
      exchange,
      caller,
      isRepeatable: true,
      isHedgeable: !exchange.ledger.stream && exchange.ledger.toolsIn === 0 && target.affinity === undefined,
      send: (candidate, attempt, signal) => {
        const isPlanned = candidate.target === target;
        const own = isPlanned ? outbound.edited : undefined;
        const body =
          own ?? new EditedBytes(isPlanned ? outbound.body : outbound.bodyFor(candidate.target), []);
        const { added, conversation, betaFor } = outbound;
        const promptCacheKey = (): string | null =>
          caller.caching.markers ? derivePromptCacheKey(caller.accountId, conversation) : null;
        const { accountId } = caller;
        const planned = { body, added, promptCacheKey, accountId, beta: betaFor?.(candidate.target) };
        return callProvider(planned, candidate, attempt, exchange, signal, services);
      },
    },
    services,
  );
}
