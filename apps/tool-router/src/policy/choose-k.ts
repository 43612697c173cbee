import type { PlanPrice, PlanToolsReply } from '@gateway/contracts';
import { recallAt } from './recall-prior.ts';
import type { TurnRecall } from './recall-prior.ts';

export type Recovery = Extract<PlanToolsReply, { status: 'planned' }>['recovery'];
export type Worth = NonNullable<Extract<PlanToolsReply, { status: 'planned' }>['worth']>;

/**
 * Assumed length of a new conversation. The calculation assumes that a conversation has eight requests, and that
 * three of its turns need tools. Recorded agent sessions have 13 requests on average (159 sessions), and public
 * dialogues have 4 on average.
 */
const requestsExpected = 8;
const neededTurnsExpected = 3;
/** Expected number of tokens after the tool definitions, halfway through a conversation. */
const conversationTokens = 2_000;
/**
 * Cost of a recovery round, in tokens. The cost of a recovery round includes the model's call to the recovery
 * tool and a price for the delay.
 */
const roundOutputTokens = 60;
const roundDelayTokens = 500;
/**
 * Length of the recovery tool's definition in tokens. The definition without tool names has `recoveryToolTokens`
 * tokens, and each tool name adds `nameTokens` tokens.
 */
const recoveryToolTokens = 180;
const nameTokens = 5;
/**
 * Number of tokens assumed per tool definition if the edge gateway does not send the length of the tool list.
 */
const toolTokens = 150;
/**
 * Factor by which K (the number of ranked tools) for a conversation exceeds K for one turn. Later turns need
 * tools that the first turn does not mention. The factor was measured with `npm run eval:sessions`, on
 * conversations that are not part of its report.
 */
const conversationFactor = 2;
/**
 * Values of K (the number of ranked tools) to compare, as multiples of the smallest K that meets the recall
 * target. The router chooses the cheapest value of K.
 */
const kFactors = [1, 1.25, 1.5, 2, 3, 4, 6, 8];

export interface KQuestion {
  readonly recall: TurnRecall;
  /** Whether `recall` refers to the tools needed in one turn or in a whole conversation. */
  readonly recallOf: 'turn' | 'conversation';
  /** Number of tools in the list, and number of tools that count toward K (the number of ranked tools). */
  readonly tools: number;
  readonly scored: number;
  readonly recallTarget: number;
  /** The share of needed but pruned tools that are recovered. */
  readonly recoveredShare: number;
  readonly mayRecover: boolean;
  readonly kMin: number;
  readonly kOverride: number | null;
  /**
   * The account's measured K (number of ranked tools). The router applies this K unchanged. Null if the account has
   * no measured K, so that the router chooses K by cost.
   */
  readonly measured: MeasuredK | null;
  readonly price: PlanPrice | undefined;
  /**
   * The earlier requests of the conversation, if they were sent with the whole tool list. Null if the conversation
   * starts with pruned tools.
   */
  readonly sent: SentWhole | null;
}

/**
 * The earlier requests of a conversation that were sent with the whole tool list. Pruning tools in the middle of a
 * conversation rewrites its prompt cache once.
 */
export interface SentWhole {
  /** Estimated number of tokens of the instructions and messages after the tools. */
  readonly tokens: number;
  /** Number of requests in the conversation so far, at least 1. */
  readonly requests: number;
}

/** The routing policy's K for requests with recovery, and its K for requests without recovery. */
export interface MeasuredK {
  readonly k: number | null;
  readonly kWithoutRecovery: number | null;
}

export interface KChoice {
  /** The K that was chosen. Undefined if all tools are forwarded. */
  readonly k: number | undefined;
  readonly why: 'chosen' | 'uncertain' | 'net_negative';
  readonly recovery: Recovery;
  readonly worth: Worth | null;
}

/**
 * Chooses the K with the lowest cost. Without recovery, K is the smallest value with sufficient recall. With
 * recovery, the share of needed tools that are forwarded or recovered must meet the recall target. The cost of
 * a K (number of ranked tools) includes the definitions over the whole conversation, the tool names in the
 * recovery tool, and the expected recovery rounds. If pruning would cost more than it saves, all tools are
 * forwarded. A conversation that started with the whole tool list gets a K only if the remaining savings exceed
 * the cost of rewriting the prompt cache.
 */
export function chooseK(question: KQuestion): KChoice {
  const { tools, kOverride } = question;
  const rates = ratesOf(question);
  const all = tools * rates.definition;
  const best = cheapestOption(question, rates);
  const none = { armed: false, way: rates.mode };
  if (best === undefined) {
    const why = kOverride === null && !coversList(question) ? 'uncertain' : 'chosen';
    return { k: undefined, why, recovery: none, worth: null };
  }
  const late = question.sent === null ? null : worthOfSwitch(best, question, question.sent);
  const worth = late ?? worthOf(best, question, rates);
  const isWorthIt = best.cost < all && (late === null || late.saved > late.spent);
  if (!isWorthIt && kOverride === null) return { k: undefined, why: 'net_negative', recovery: none, worth };
  return { k: best.k, why: 'chosen', recovery: { armed: best.armed, way: rates.mode }, worth };
}

/** The recall that the forwarded tools must reach if recovery restores a share of the pruned tools. */
export function neededRecall(recallTarget: number, recoveredShare: number): number {
  return recoveredShare >= 1 ? 0 : Math.max(0, 1 - (1 - recallTarget) / (1 - recoveredShare));
}

/**
 * The client's override determines K (the number of ranked tools). With an override, recovery is enabled only
 * if it costs less than the definitions that it replaces. With the priors, the router prunes without recovery
 * only if the request does not permit recovery. The priors do not guarantee a recall, and without recovery,
 * the model cannot call a pruned tool.
 */
function cheapestOption(question: KQuestion, rates: Rates): Option | undefined {
  const { scored, kOverride, measured, tools, mayRecover } = question;
  if (kOverride === null && measured !== null) return measuredOption(question, measured, rates);
  const recovered = mayRecover ? recoveredOption(question, rates) : undefined;
  const usesRecovery =
    kOverride === null ? mayRecover : (recovered?.cost ?? Infinity) < tools * rates.definition;
  const option = usesRecovery ? recovered : plainOption(question, rates);
  return option !== undefined && option.k < scored ? option : undefined;
}

/**
 * Applies the K of the account's routing policy unchanged. The policy has one K with recovery, and a larger K
 * without recovery. Recovery is preferred if it costs less than sending all definitions.
 */
function measuredOption(
  question: KQuestion,
  { k, kWithoutRecovery }: MeasuredK,
  rates: Rates,
): Option | undefined {
  const { scored, tools, mayRecover } = question;
  const recovered =
    mayRecover && k !== null && k < scored
      ? { k, armed: true, cost: recoveredCost(k, question, rates) }
      : undefined;
  if (recovered !== undefined && recovered.cost < tools * rates.definition) return recovered;
  if (kWithoutRecovery === null || kWithoutRecovery >= scored) return recovered;
  const cost = (tools - scored + kWithoutRecovery) * rates.definition;
  return { k: kWithoutRecovery, armed: false, cost };
}

/** Whether the measured K (number of ranked tools) covers every scored tool of the tool list. */
function coversList({ measured, mayRecover, scored }: KQuestion): boolean {
  const k = mayRecover ? measured?.k : measured?.kWithoutRecovery;
  return typeof k === 'number' && k >= scored;
}

interface Option {
  readonly k: number;
  readonly armed: boolean;
  /**
   * The cost of this K (number of ranked tools) over the expected conversation, in tokens at the regular
   * input price.
   */
  readonly cost: number;
}

function plainOption({ kOverride, recallTarget, ...rest }: KQuestion, rates: Rates): Option | undefined {
  const kept = kOverride ?? smallestFor(recallTarget, rest);
  if (kept === undefined) return undefined;
  return { k: kept, armed: false, cost: (rest.tools - rest.scored + kept) * rates.definition };
}

function recoveredOption(question: KQuestion, rates: Rates): Option | undefined {
  const { kOverride, scored } = question;
  const first = smallestFor(neededRecall(question.recallTarget, question.recoveredShare), question);
  if (kOverride === null && first === undefined) return undefined;
  const sizes = kOverride === null ? kFactors.map((factor) => Math.ceil((first ?? 1) * factor)) : [kOverride];
  const options = sizes
    .filter((k) => k < scored)
    .map((k) => ({ k, armed: true, cost: recoveredCost(k, question, rates) }));
  return options.reduce<Option | undefined>(
    (one, other) => (one === undefined || other.cost < one.cost ? other : one),
    undefined,
  );
}

/**
 * The smallest K (number of ranked tools) that reaches a recall over a whole conversation. Undefined if no K
 * reaches the recall.
 */
function smallestFor(
  recallNeeded: number,
  { recall, recallOf, kMin, scored }: Pick<KQuestion, 'recall' | 'recallOf' | 'kMin' | 'scored'>,
): number | undefined {
  const k = recall.kFor(recallNeeded);
  if (k === undefined) return undefined;
  return Math.max(
    kMin,
    recallOf === 'conversation' ? k : Math.min(Math.max(k, scored), k * conversationFactor),
  );
}

function recoveredCost(k: number, { recall, tools, scored }: KQuestion, rates: Rates): number {
  const names = (recoveryToolTokens + nameTokens * (scored - k)) * rates.conversation;
  const missed = neededTurnsExpected * (1 - recallAt(recall.curve, k));
  return (tools - scored + k) * rates.definition + names + missed * rates.round(k);
}

/** Token prices relative to the regular input price. */
interface Rates {
  /** Cost of a token that stays in the prefix for the whole conversation. */
  readonly conversation: number;
  /** Cost of a tool definition that stays in the prefix for the whole conversation. */
  readonly definition: number;
  readonly mode: Recovery['way'];
  /** Cost of a recovery round if the prefix contains K ranked tools. */
  readonly round: (k: number) => number;
}

/**
 * @param requests expected number of requests that will send the prefix. The first request with the prefix
 * writes the prefix to the cache.
 */
function ratesOf({ price, tools, scored, kMin }: KQuestion, requests = requestsExpected): Rates {
  const definitionTokens = price === undefined ? toolTokens : price.listTokens / Math.max(1, tools);
  const pinnedTokens = (tools - scored) * definitionTokens;
  const behind = (price?.headTokens ?? 0) + conversationTokens + pinnedTokens;
  const prefix = (k: number): number => behind + k * definitionTokens;
  const isCached = price !== undefined && price.cacheRead !== null && prefix(kMin) >= price.cachedTokensMin;
  const read = isCached ? (price.cacheRead ?? 1) : 1;
  const write = isCached ? (price.cacheWrite ?? 1) : 1;
  const conversation = write + (requests - 1) * read;
  const output = (price?.output ?? 4) * roundOutputTokens + roundDelayTokens + definitionTokens * write;
  const inPlace = (k: number): number => prefix(k) * read + output;
  const regrown = (k: number): number => prefix(k) * write + output + definitionTokens * conversation * 0.5;
  const mode = isCached && inPlace(kMin) <= regrown(kMin) ? 'in_place' : 'regrown';
  return {
    conversation,
    definition: definitionTokens * conversation,
    mode,
    round: mode === 'in_place' ? inPlace : regrown,
  };
}

function worthOf({ k, cost }: Option, { tools, scored }: KQuestion, rates: Rates): Worth {
  const forwarded = (tools - scored + k) * rates.definition;
  return {
    saved: Math.round(tools * rates.definition - forwarded),
    spent: Math.round(cost - forwarded),
  };
}

/**
 * The expected savings if pruning starts now, after requests with the whole tool list. Each remaining request of the
 * expected conversation sends fewer tool definitions. The first request after pruning writes the remaining
 * definitions and all earlier messages to the cache again. Without pruning, the provider would read the definitions
 * and messages from the cache.
 */
function worthOfSwitch(best: Option, question: KQuestion, sent: SentWhole): Worth {
  const { price, tools, scored } = question;
  const requests = Math.max(1, requestsExpected - sent.requests);
  const rates = ratesOf(question, requests);
  const definitionTokens = price === undefined ? toolTokens : price.listTokens / Math.max(1, tools);
  const wholeTokens = tools * definitionTokens + (price?.headTokens ?? 0);
  const isCached = price !== undefined && price.cacheRead !== null && wholeTokens >= price.cachedTokensMin;
  const read = requests * (isCached ? (price.cacheRead ?? 1) : 1);
  const forwarded = (tools - scored + best.k) * rates.definition;
  const cost = best.armed ? recoveredCost(best.k, question, rates) : forwarded;
  return {
    saved: Math.round(tools * definitionTokens * read - forwarded),
    spent: Math.round(cost - forwarded + sent.tokens * (rates.conversation - read)),
  };
}
