import type { ChatAnswer, UpstreamAnswer } from './answer.ts';
import type { Caller } from './caller.ts';
import type { Exchange } from './exchange.ts';
import { HiddenRounds, type NextRound } from './net/hidden-rounds.ts';
import { listSent } from './native-selection.ts';
import type { Outbound } from './outbound.ts';
import type { PipelineServices } from './services.ts';
import { forward } from './stages/forward/forward.ts';
import type { Target } from './target.ts';

/** The rounds of an answer to a request with a net; null for any other. Each is made where the first answer came from. */
export function openRounds(
  outbound: Outbound,
  { target }: Pick<ChatAnswer, 'target'>,
  exchange: Exchange,
  caller: Caller,
  services: PipelineServices,
): HiddenRounds | null {
  const { net } = outbound.plan;
  if (net === undefined) return null;
  const asked = alone(target);
  const ask = async (next: NextRound): Promise<UpstreamAnswer> => {
    const { outboundBytes, headers } = exchange;
    const attempts = headers['x-svc-attempts'];
    // Each round is a call of its own; the last one's span ends with the answer.
    exchange.providerCall?.end();
    const answer = await forward(outbound.roundFor(asked, next), asked, exchange, caller, services);
    exchange.outboundBytes += outboundBytes;
    // A round is no failed attempt.
    if (attempts === undefined) delete headers['x-svc-attempts'];
    else headers['x-svc-attempts'] = attempts;
    return answer;
  };
  const rounds = new HiddenRounds({
    net,
    signal: exchange.abort.signal,
    forwarded: listSent(outbound.plan).length,
    billed: exchange.rounds?.billed ?? [],
    ask,
  });
  exchange.rounds = rounds;
  return rounds;
}

/** What the model was told in one round, an alternative does not know. */
function alone({ provider, model, lane, path, ownCredential }: Target): Target {
  return { provider, model, lane, ownCredential, ...(path === undefined ? {} : { path }) };
}
