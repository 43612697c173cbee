import type { PlanPrice, PlanToolsReply } from '@gateway/contracts';
import { recallAt } from './recall-prior.ts';
import type { TurnRecall } from './recall-prior.ts';

export type Recovery = Extract<PlanToolsReply, { status: 'planned' }>['recovery'];
export type Worth = NonNullable<Extract<PlanToolsReply, { status: 'planned' }>['worth']>;

/**
 * What a session is taken to be before it is known. Of 159 recorded agent sessions the mean has 13 requests, of public
 * dialogues 4: eight requests, with three turns in which tools are needed.
 */
const requestsExpected = 8;
const neededTurnsExpected = 3;
/** Tokens of conversation behind the tools by the middle of a session. */
const conversationTokens = 2_000;
/** A hidden round, in tokens: what the model writes to ask for a tool, and what its delay is worth. */
const roundOutputTokens = 60;
const roundDelayTokens = 500;
/** What the stand-in tool costs: its own definition, and each name in its description. */
const standInTokens = 180;
const nameTokens = 5;
/** Of a definition, where the edge does not say how long the list is. */
const toolTokens = 150;
/**
 * Later turns need tools that the first one says little of: so many times the K that suffices for its own. By `npm run
 * eval:sessions`, of sessions that its report leaves out.
 */
const sessionFactor = 2;
/** K beyond the smallest that the target allows, as multiples of it, among which price decides. */
const kFactors = [1, 1.25, 1.5, 2, 3, 4, 6, 8];

export interface KQuestion {
  readonly recall: TurnRecall;
  /** Of what needs: of what a turn does, or of all that a session does. */
  readonly recallOf: 'turn' | 'session';
  /** Tools of the list, and those of them that compete for K. */
  readonly tools: number;
  readonly scored: number;
  readonly recallTarget: number;
  /** Of the needed tools that are left out, the share that the safety net brings back. */
  readonly recoveredShare: number;
  readonly mayRecover: boolean;
  readonly kMin: number;
  readonly kOverride: number | null;
  readonly price: PlanPrice | undefined;
}

export interface KChoice {
  /** Undefined: everything goes out. */
  readonly k: number | undefined;
  readonly why: 'chosen' | 'uncertain' | 'net_negative';
  readonly recovery: Recovery;
  readonly worth: Worth | null;
}

/**
 * K as a price. Without the net, the smallest K whose recall meets the target. With it, the cheapest among those whose
 * recall, and what the net brings back of the rest, meet the target together: definitions sent over the session against
 * names, and rounds for what is missed. The cheaper of the two ways is taken, and neither if everything is cheaper.
 */
export function chooseK(question: KQuestion): KChoice {
  const { tools, kOverride } = question;
  const rates = ratesOf(question);
  const all = tools * rates.definition;
  const best = cheapestOption(question, rates);
  const none = { armed: false, way: rates.way };
  if (best === undefined) {
    const why = kOverride === null ? 'uncertain' : 'chosen';
    return { k: undefined, why, recovery: none, worth: null };
  }
  if (best.cost >= all && kOverride === null)
    return { k: undefined, why: 'net_negative', recovery: none, worth: worthOf(best, question, rates) };
  return {
    k: best.k,
    why: 'chosen',
    recovery: { armed: best.armed, way: rates.way },
    worth: worthOf(best, question, rates),
  };
}

/** The recall that what is forwarded must have by itself, where the net brings back a share of the rest. */
export function neededRecall(recallTarget: number, recoveredShare: number): number {
  return recoveredShare >= 1 ? 0 : Math.max(0, 1 - (1 - recallTarget) / (1 - recoveredShare));
}

/** An override says how much goes out: then the net is armed wherever it costs less than what it stands for. */
function cheapestOption(question: KQuestion, rates: Rates): Option | undefined {
  const { scored, kOverride, tools, mayRecover } = question;
  const plain = plainOption(question, rates);
  const recovered = mayRecover ? recoveredOption(question, rates) : undefined;
  if (kOverride !== null && recovered !== undefined && recovered.cost < tools * rates.definition)
    return recovered;
  const options = [plain, recovered].filter((option) => option !== undefined && option.k < scored);
  return options.reduce<Option | undefined>(
    (one, other) => (other !== undefined && (one === undefined || other.cost < one.cost) ? other : one),
    undefined,
  );
}

interface Option {
  readonly k: number;
  readonly armed: boolean;
  /** In tokens at the plain input price, over the expected session. */
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

/** The smallest K that reaches a recall over a session; undefined where none does. */
function smallestFor(
  recallNeeded: number,
  { recall, recallOf, kMin, scored }: Pick<KQuestion, 'recall' | 'recallOf' | 'kMin' | 'scored'>,
): number | undefined {
  const k = recall.kFor(recallNeeded);
  if (k === undefined) return undefined;
  return Math.max(kMin, recallOf === 'session' ? k : Math.min(Math.max(k, scored), k * sessionFactor));
}

function recoveredCost(k: number, { recall, tools, scored }: KQuestion, rates: Rates): number {
  const names = (standInTokens + nameTokens * (scored - k)) * rates.session;
  const missed = neededTurnsExpected * (1 - recallAt(recall.curve, k));
  return (tools - scored + k) * rates.definition + names + missed * rates.round(k);
}

/** What tokens cost, as multiples of the plain input price. */
interface Rates {
  /** A token that is in the prefix for the whole session. */
  readonly session: number;
  /** A definition that is in the prefix for the whole session. */
  readonly definition: number;
  readonly way: Recovery['way'];
  /** A hidden round, with K tools in the prefix. */
  readonly round: (k: number) => number;
}

function ratesOf({ price, tools, scored, kMin }: KQuestion): Rates {
  const definitionTokens = price === undefined ? toolTokens : price.listTokens / Math.max(1, tools);
  const pinnedTokens = (tools - scored) * definitionTokens;
  const behind = (price?.headTokens ?? 0) + conversationTokens + pinnedTokens;
  const prefix = (k: number): number => behind + k * definitionTokens;
  const isCached = price !== undefined && price.cacheRead !== null && prefix(kMin) >= price.cachedTokensMin;
  const read = isCached ? (price.cacheRead ?? 1) : 1;
  const write = isCached ? (price.cacheWrite ?? 1) : 1;
  const session = write + (requestsExpected - 1) * read;
  const output = (price?.output ?? 4) * roundOutputTokens + roundDelayTokens + definitionTokens * write;
  const inPlace = (k: number): number => prefix(k) * read + output;
  const regrown = (k: number): number => prefix(k) * write + output + definitionTokens * session * 0.5;
  const way = isCached && inPlace(kMin) <= regrown(kMin) ? 'in_place' : 'regrown';
  return {
    session,
    definition: definitionTokens * session,
    way,
    round: way === 'in_place' ? inPlace : regrown,
  };
}

function worthOf({ k, cost }: Option, { tools, scored }: KQuestion, rates: Rates): Worth {
  const forwarded = (tools - scored + k) * rates.definition;
  return {
    saved: Math.round(tools * rates.definition - forwarded),
    spent: Math.round(cost - forwarded),
  };
}
