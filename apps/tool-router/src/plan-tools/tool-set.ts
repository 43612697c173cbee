import {
  chooseCalibratedK,
  type PlanPrice,
  type PlannedConversation,
  type RoutingPolicy,
} from '@gateway/contracts';
import type { IntentClass } from '@gateway/interchange';
import type { KeywordIndex } from '../tool-index/keyword-index.ts';
import { shortListMax, type TurnRanking } from '../ranking/ranker.port.ts';
import { chooseGrowth, type RankedTurn } from './grow-set.ts';
import { chooseK, neededRecall, type Recovery, type Worth } from '../policy/choose-k.ts';
import {
  measuredRecall,
  priorRecall,
  surenessOf,
  type RecallPriors,
  type TurnRecall,
} from '../policy/recall-prior.ts';

/**
 * Number of user turns that can add tools. Later turns leave the tool set unchanged, which bounds the cost of
 * long transcripts.
 */
export const growingTurnsMax = 64;
/** Assumed share of needed tools that recovery restores, used until it is measured. */
export const recoveredShareExpected = 0.9;

export interface ToolSetOptions {
  readonly priors: RecallPriors;
  /** The account's measured recall. Null if nothing has been measured. */
  readonly measured: RoutingPolicy | null;
  /** Intent of the conversation's first turn. */
  readonly intent: IntentClass;
  readonly recallTarget: number;
  readonly kOverride: number | null;
  readonly mayRecover: boolean;
  readonly recoveredShare: number;
  readonly price: PlanPrice | undefined;
  /** Positions that the tool list pins. They are always forwarded and do not count toward K. */
  readonly pinned: ReadonlySet<number>;
  /** The remembered tool set. Turns can only add to it. */
  readonly remembered: PlannedConversation | undefined;
}

export interface ToolSet {
  /** Forwarded positions. Undefined if all tools are forwarded. */
  readonly positions: ReadonlySet<number> | undefined;
  readonly reason: 'override' | 'short_list' | 'uncertain' | 'prior' | 'calibrated' | 'net_negative';
  /** Whether the newest turn added tools. */
  readonly grown: boolean;
  readonly recovery: Recovery;
  readonly worth: Worth | null;
}

const unarmed: Recovery = { armed: false, way: 'in_place' };

/**
 * Chooses the tool set for a conversation: the tools chosen on its first turn, plus those added by later
 * turns. Each turn depends only on earlier turns. A transcript's tool set therefore contains the tool set of
 * every shorter prefix.
 * @param turns all turns, or only the turns after the remembered ones.
 */
export function chooseToolSet(
  index: KeywordIndex,
  turns: readonly RankedTurn[],
  options: ToolSetOptions,
): ToolSet {
  const { kOverride, remembered } = options;
  const scored = index.names.length - options.pinned.size;
  const [first] = turns;
  if (kOverride === null && scored <= shortListMax) return everything('short_list');
  if (remembered !== undefined) return growRemembered(index, turns, remembered, options);
  if (kOverride !== null && scored <= kOverride) return everything('override');
  if (first === undefined) return everything('uncertain');
  const begun = chooseFirst(index, first, scored, options);
  if (begun.positions === undefined) return begun;
  return growSet(index, turns.slice(1, growingTurnsMax), begun, options);
}

function everything(reason: ToolSet['reason'], worth: Worth | null = null): ToolSet {
  return { positions: undefined, reason, grown: false, recovery: unarmed, worth };
}

function growRemembered(
  index: KeywordIndex,
  turns: readonly RankedTurn[],
  remembered: PlannedConversation,
  options: ToolSetOptions,
): ToolSet {
  const positions = new Set(remembered.forwarded.filter((position) => position < index.names.length));
  const reason = options.kOverride === null ? 'prior' : 'override';
  if (positions.size === index.names.length) return { ...everything(reason), positions };
  const recovery = { armed: remembered.way !== null, way: remembered.way ?? 'in_place' };
  const begun: ToolSet = { positions, reason, grown: false, recovery, worth: null };
  return growSet(index, turns.slice(0, Math.max(0, growingTurnsMax - remembered.turns)), begun, options);
}

function chooseFirst(
  index: KeywordIndex,
  { ranking, mentioned }: RankedTurn,
  scored: number,
  options: ToolSetOptions,
): ToolSet {
  const { kOverride, mayRecover, recallTarget, recoveredShare, price } = options;
  const { recall, source } = recallFor(index, ranking, options);
  const prior = options.priors[ranking.method];
  if (source === 'off' && kOverride === null) return everything('calibrated');
  if (surenessOf(ranking) < prior.surenessMin && kOverride === null) return everything('uncertain');
  const { kMin } = prior;
  const tools = index.names.length;
  const chosen = chooseK({
    recall,
    recallOf: source === 'calibrated' ? 'conversation' : 'turn',
    tools,
    scored,
    recallTarget,
    recoveredShare,
    mayRecover,
    kMin,
    kOverride,
    price,
  });
  const reason = kOverride === null ? (source === 'calibrated' ? 'calibrated' : 'prior') : 'override';
  if (chosen.k === undefined) return everything(chosen.why === 'chosen' ? reason : chosen.why, chosen.worth);
  const named = new Set([...options.pinned, ...mentioned]);
  const positions = new Set(takeTop(ranking, named, chosen.k));
  return { positions, reason, grown: false, recovery: chosen.recovery, worth: chosen.worth };
}

/** The best `k` tools that are not already forwarded. */
function takeTop({ order }: TurnRanking, named: ReadonlySet<number>, k: number): number[] {
  const chosen: number[] = [];
  for (const position of order) {
    if (chosen.length >= k) break;
    if (!named.has(position)) chosen.push(position);
  }
  return chosen;
}

/** Adds the tools needed by later turns. */
function growSet(
  index: KeywordIndex,
  turns: readonly RankedTurn[],
  begun: ToolSet,
  options: ToolSetOptions,
): ToolSet {
  const positions = new Set(begun.positions);
  const { recovery } = begun;
  let grown = false;
  for (const turn of turns) {
    const prior = options.priors[turn.ranking.method];
    const added = chooseGrowth(turn, {
      isIn: (position) => positions.has(position) || options.pinned.has(position),
      pinned: options.pinned,
      recall: recallFor(index, turn.ranking, options).recall,
      needed: needed(options, recovery),
      isReachable: recovery.armed,
      isFree: recovery.armed && recovery.way === 'regrown',
      kOverride: options.kOverride,
      kMin: prior.kMin,
      surenessMin: prior.surenessMin,
    });
    for (const position of added) positions.add(position);
    grown = added.length > 0;
  }
  return { ...begun, positions, grown };
}

function needed({ recallTarget, recoveredShare }: ToolSetOptions, recovery: Recovery): number {
  return recovery.armed ? neededRecall(recallTarget, recoveredShare) : recallTarget;
}

interface FoundRecall {
  readonly recall: TurnRecall;
  readonly source: 'calibrated' | 'prior' | 'off';
}

/**
 * Uses the account's measured recall if it can reach the target, and otherwise the priors from public data
 * sets.
 */
function recallFor(index: KeywordIndex, ranking: TurnRanking, options: ToolSetOptions): FoundRecall {
  const { measured, intent, mayRecover, recallTarget, recoveredShare } = options;
  const tools = index.names.length;
  const least = mayRecover ? neededRecall(recallTarget, recoveredShare) : recallTarget;
  const found = chooseCalibratedK(measured, { intent, tools, recallTarget: least });
  const recall = priorRecall(options.priors[ranking.method], ranking, tools);
  if (found === null) return { recall, source: 'prior' };
  if (found.k === 'off') return { recall, source: 'off' };
  const bucket = measured?.buckets.find((each) => each.bucket === found.bucket);
  return { recall: measuredRecall(bucket?.steps ?? []), source: 'calibrated' };
}
