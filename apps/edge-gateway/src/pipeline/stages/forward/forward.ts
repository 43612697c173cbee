import type { ChatAnswer } from '../../answer.ts';
import type { Caller } from '../../caller.ts';
import type { Exchange } from '../../exchange.ts';
import type { Outbound } from '../../outbound.ts';
import type { Target } from '../../target.ts';
import { callProvider, type CallServices } from './call-provider.ts';
import { tryCandidates, type TryServices } from './try-candidates.ts';

/**
 * Gets the provider's answer: resolves with its status and headers. Trouble that another call can mend does not show:
 * see `tryCandidates`. An answer that breaks before its first byte went on is given up (`ChatAnswer.giveUp`), and the
 * request is forwarded again.
 */
export function forward(
  outbound: Outbound,
  target: Target,
  exchange: Exchange,
  caller: Caller,
  services: TryServices & CallServices,
): Promise<ChatAnswer> {
  return tryCandidates(
    {
      target,
      exchange,
      caller,
      isRepeatable: true,
      call: (candidate, signal) => {
        const bytes = candidate.target === target ? outbound.body : outbound.bodyFor(candidate.target);
        return callProvider({ bytes, added: outbound.added }, candidate, exchange, signal, services);
      },
    },
    services,
  );
}
