import type { UpstreamAnswer } from '../upstream/upstream.port.ts';
import type { ChatAnswer } from './exchange/answer.ts';
import type { Caller, Target } from '../request/request.ts';
import { charactersPerToken } from '../request/token-estimates.ts';
import { countSentBytes } from './exchange/attempt.ts';
import type { Exchange } from './exchange/exchange.ts';
import { RecoveryRounds } from './recovery/recovery-rounds.ts';
import type { ConversationKeys, Outbound, ToolPlan } from './exchange/tool-plan.ts';
import type { PipelineServices } from './services.ts';
import { forward } from './stages/forward/forward.ts';
import { sumSteps } from './stages/validate/note-outbound.ts';

/**
 * Opens the recovery rounds for a response. Returns null if the request has no recovery. Every recovery round is
 * sent to the target of the first request. After a fresh start (`freshStart`), the request contains every tool. The
 * rounds then only hide recovery tool calls from the client.
 */
export function openRounds(
  outbound: Outbound,
  { target }: Pick<ChatAnswer, 'target'>,
  exchange: Exchange,
  caller: Caller,
  services: PipelineServices,
): RecoveryRounds | null {
  const { attempts } = exchange;
  const earlier = exchange.rounds?.earlier;
  const isFresh = earlier?.freshStart !== undefined;
  const recovery = isFresh ? exchange.rounds?.recovery : outbound.plan.recovery;
  if (recovery === undefined) return null;
  const only = withoutAlternatives(target);
  const rounds = new RecoveryRounds({
    recovery,
    signal: exchange.abort.signal,
    earlier,
    hasSent: () => exchange.response.headersSent,
    estimateUsage: (charactersOut) => ({
      inputTokens: Math.ceil((attempts.current?.bodyBytes ?? 0) / charactersPerToken),
      outputTokens: Math.ceil(charactersOut / charactersPerToken),
    }),
    send: (next) => sendRound(outbound.roundFor(only, next), only, exchange, caller, services),
  });
  if (!isFresh) attempts.earlierRoundBytes = 0;
  exchange.rounds = rounds;
  return rounds;
}

/**
 * Sends the request of a recovery round. Each recovery round is a separate provider call with its own trace
 * span.
 */
async function sendRound(
  round: Outbound,
  target: Target,
  exchange: Exchange,
  caller: Caller,
  services: PipelineServices,
): Promise<UpstreamAnswer> {
  const { attempts } = exchange;
  const sentBytes = countSentBytes(attempts);
  const { callsShown } = attempts;
  // The trace span of the final recovery round ends with the response.
  attempts.current?.span?.end();
  attempts.earlierRoundBytes = 0;
  noteCompression(exchange, round.plan);
  try {
    return await forward(round, target, exchange, caller, services);
  } finally {
    attempts.earlierRoundBytes = sentBytes;
    // A recovery round is not counted as a retry.
    attempts.callsHidden = attempts.calls - callsShown;
    attempts.callsShown = callsShown;
  }
}

/**
 * Returns the request as the client sent it. The client's own request includes every tool, but neither the recovery
 * tool nor messages added by the gateway. The client's own request is sent if the recovery rounds ended without a
 * response. The client has not received any bytes yet, so any target may receive the request.
 */
export function startAfresh(outbound: Outbound, target: Target, exchange: Exchange): Outbound {
  const { attempts } = exchange;
  attempts.current?.span?.end();
  attempts.earlierRoundBytes = countSentBytes(attempts);
  // The provider call that follows the recovery rounds is not counted as a retry.
  attempts.callsHidden = attempts.calls - (attempts.callsShown - 1);
  const whole = outbound.roundFor(target, { recovery: null, added: [], messages: [] });
  noteCompression(exchange, whole.plan);
  return whole;
}

/** Replaces the recorded savings with the savings of the last request, which produces the response. */
function noteCompression({ ledger }: Exchange, plan: ToolPlan): void {
  ledger.compressionSteps = sumSteps(plan);
  const isWhole = plan.context.edits.length === 0;
  if (isWhole && ledger.context !== null && ledger.context.savedUsd !== null)
    ledger.context = { ...ledger.context, savedUsd: 0 };
}

/** All recovery rounds use the same target, because no other model has received the earlier rounds. */
function withoutAlternatives({ provider, model, lane, path, ownCredential }: Target): Target {
  return { provider, model, lane, ownCredential, ...(path === undefined ? {} : { path }) };
}

/**
 * The store for the tools that were recovered in conversations. The store identifies tools by their index in
 * the list of tools that the API key may use.
 */
interface RoundsMemory {
  addRecovered(names: ConversationKeys, positions: readonly number[], requested: readonly number[]): void;
}

/** Stores recovered tools and unanswered tool requests, because the transcript contains neither of them. */
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
  // Providers of reasoning models reject turns that the gateway renders without reasoning.
  // If the response contains reasoning, the requested tools are not stored, because the model can request them again.
  const requested = rounds.hasReasoned
    ? []
    : positionsOf([...names, ...found.flatMap((tools) => tools.slice(0, foundMax))]);
  memory.addRecovered(conversation, [...positionsOf(rounds.recovered), ...requested], requested);
}

const foundMax = 5;
