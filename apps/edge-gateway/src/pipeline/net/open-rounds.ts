import type { UpstreamAnswer } from '../answer.ts';
import type { Exchange } from '../exchange.ts';
import type { Outbound } from '../outbound.ts';
import { HiddenRounds, type NextRound } from './hidden-rounds.ts';

/**
 * The rounds of an answer to a request with a net; null for any other.
 * @param ask makes the request of a further round; fails as `forward` does.
 */
export function openRounds(
  { plan }: Pick<Outbound, 'plan'>,
  exchange: Exchange,
  ask: (next: NextRound) => Promise<UpstreamAnswer>,
): HiddenRounds | null {
  const { net } = plan;
  if (net === undefined) return null;
  const rounds = new HiddenRounds({
    net,
    signal: exchange.abort.signal,
    forwarded: plan.forwarded.length,
    ask: async (next) => {
      // Each round is a call of its own; the last one's span ends with the answer.
      exchange.providerCall?.end();
      const sentBytes = exchange.outboundBytes;
      const answer = await ask(next);
      exchange.outboundBytes += sentBytes;
      return answer;
    },
  });
  exchange.rounds = rounds;
  return rounds;
}
