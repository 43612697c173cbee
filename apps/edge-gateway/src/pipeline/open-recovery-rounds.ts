import type { UpstreamAnswer } from '../request/upstream-answer.ts';
import type { ChatAnswer } from './exchange/answer.ts';
import type { Caller, Target } from '../request/request.ts';
import { countSentBytes } from './exchange/attempt.ts';
import type { Exchange } from './exchange/exchange.ts';
import type { NextRound } from './recovery/recovery-rounds.ts';
import { RecoveryRounds } from './recovery/recovery-rounds.ts';
import type { ConversationKeys, Outbound } from './exchange/tool-plan.ts';
import type { PipelineServices } from './services.ts';
import { forward } from './stages/forward/forward.ts';

/**
 * Opens the recovery rounds for a response. Returns null if the request has no recovery. Each round is sent
 * to the same target as the first request.
 */
export function openRounds(
  outbound: Outbound,
  { target }: Pick<ChatAnswer, 'target'>,
  exchange: Exchange,
  caller: Caller,
  services: PipelineServices,
): RecoveryRounds | null {
  const { recovery } = outbound.plan;
  if (recovery === undefined) return null;
  const { attempts } = exchange;
  const only = withoutAlternatives(target);
  const send = async (next: NextRound): Promise<UpstreamAnswer> => {
    const sentBytes = countSentBytes(attempts);
    const { callsShown } = attempts;
    // Each round is a separate call with its own span. The last span ends with the response.
    attempts.current?.span?.end();
    attempts.earlierRoundBytes = 0;
    const answer = await forward(outbound.roundFor(only, next), only, exchange, caller, services);
    attempts.earlierRoundBytes = sentBytes;
    // A recovery round does not count as a retry.
    attempts.callsShown = callsShown;
    return answer;
  };
  const rounds = new RecoveryRounds({
    recovery,
    signal: exchange.abort.signal,
    billed: exchange.rounds?.billed ?? [],
    send,
  });
  attempts.earlierRoundBytes = 0;
  exchange.rounds = rounds;
  return rounds;
}

/** All rounds use one target, because no other model has seen the earlier rounds. */
function withoutAlternatives({ provider, model, lane, path, ownCredential }: Target): Target {
  return { provider, model, lane, ownCredential, ...(path === undefined ? {} : { path }) };
}

/** The store for recovered tools. Positions refer to the list of tools that the key may use. */
interface RoundsMemory {
  addRecovered(names: ConversationKeys, positions: readonly number[], requested: readonly number[]): void;
}

/**
 * Stores the results of the rounds that the transcript does not contain: recovered tools and unanswered
 * requests.
 */
export async function rememberRounds(
  { plan }: Pick<Outbound, 'plan'>,
  rounds: RecoveryRounds,
  memory: RoundsMemory,
): Promise<void> {
  const { recovery, conversation, eligible } = plan;
  const { names, needs } = rounds.unanswered;
  if (recovery === undefined || conversation === null) return;
  if (rounds.recovered.length === 0 && names.length === 0 && needs.length === 0) return;
  const positionsOf = (tools: readonly string[]): number[] =>
    tools.flatMap((name) => {
      const index = recovery.pruned.get(name);
      return index === undefined ? [] : [eligible.indexOf(index)];
    });
  const found = await Promise.all(needs.slice(0, 2).map((need) => recovery.find(need)));
  const requested = positionsOf([...names, ...found.flatMap((tools) => tools.slice(0, foundMax))]);
  memory.addRecovered(conversation, [...positionsOf(rounds.recovered), ...requested], requested);
}

const foundMax = 5;
