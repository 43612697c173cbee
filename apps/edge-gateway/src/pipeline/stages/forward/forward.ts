import type { Logger } from '@gateway/observability';
import { passOver } from '../../../upstream/answer-body.ts';
import type { ChatAnswer } from '../../exchange/answer.ts';
import type { Caller, Target } from '../../../request/request.ts';
import type { Exchange } from '../../exchange/exchange.ts';
import type { Outbound } from '../../exchange/tool-plan.ts';
import { callProvider, type CallServices } from './call-provider.ts';
import { tryCandidates, type TryServices } from './try-candidates.ts';

/**
 * Gets the provider's answer: resolves with its status and headers. Trouble that another call can mend does not show:
 * see `tryCandidates`. An answer that breaks before its first byte went on is given up (`ChatAnswer.giveUp`), and the
 * request is forwarded again. One that a provider refuses in its own way of keeping tools out of the prompt is made once more with
 * every tool in it: planning fails no request.
 */
export function forward(
  outbound: Outbound,
  target: Target,
  exchange: Exchange,
  caller: Caller,
  services: ForwardServices,
): Promise<ChatAnswer> {
  const { plainBodyFor } = outbound;
  const sent = send(outbound, target, exchange, caller, services);
  if (plainBodyFor === null) return sent;
  return sent.then((answer) => {
    if (answer.status !== refusal) return answer;
    passOver(answer.body);
    const { requestId } = exchange;
    services.log.warn({ requestId, model: target.model }, 'a request was refused in its provider’s own way');
    exchange.providerCall?.end();
    const plain = { ...outbound, body: plainBodyFor(target), bodyFor: plainBodyFor };
    return send(plain, target, exchange, caller, services);
  });
}

type ForwardServices = TryServices & CallServices & { readonly log: Logger };

/** What a provider says of a request that it will not take as it is. */
const refusal = 400;

function send(
  outbound: Pick<Outbound, 'body' | 'bodyFor' | 'added'>,
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
      isHedgeable: !exchange.ledger.stream && exchange.ledger.toolsIn === 0,
      call: (candidate, noted, signal) => {
        const bytes = candidate.target === target ? outbound.body : outbound.bodyFor(candidate.target);
        return callProvider({ bytes, added: outbound.added }, candidate, noted, signal, services);
      },
    },
    services,
  );
}
