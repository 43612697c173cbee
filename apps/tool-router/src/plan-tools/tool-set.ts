import { decidingTurnsMax, type PlannedConversation } from '@gateway/contracts';
import type { PlanPrice, PolicyDecision } from '@gateway/contracts';
import type { Pieces } from '@gateway/messaging';
import type { KeywordIndex } from '../tool-index/keyword-index.ts';
import { shortListMax, type TurnRanking } from '../ranking/ranker.port.ts';
import { chooseGrowth, type RankedTurn } from './grow-set.ts';
import {
  chooseK,
  neededRecall,
  type MeasuredK,
  type Recovery,
  type SentWhole,
  type Worth,
} from '../policy/choose-k.ts';
import {
  deferralK,
  measuredRecall,
  priorFor,
  priorRecall,
  surenessOf,
  type DeferralMode,
  type RecallPriors,
} from '../policy/recall-prior.ts';

/**
 * Number of user turns that can add tools. Later turns do not change the tool set, so that long transcripts have a
 * limited cost.
 */
export const growingTurnsMax = 64;
export interface ToolSetOptions {
  readonly priors: RecallPriors;
  /** The decision of the account's routing policy about the conversation. */
  readonly decision: PolicyDecision;
  readonly recallTarget: number;
  readonly kOverride: number | null;
  readonly mayRecover: boolean;
  /** Whether the tools of later turns are added at the end of the conversation, after the cached prefix. */
  readonly appends: boolean;
  /** How the provider defers tools. Undefined if the conversation has no bound reasoning. */
  readonly deferral: DeferralMode | undefined;
  readonly price: PlanPrice | undefined;
  /**
   * Positions of the pinned tools. Pinned tools are always forwarded, and do not count toward K (the number of ranked
   * tools).
   */
  readonly pinned: ReadonlySet<number>;
  /**
   * The stored tool set. Later turns can only add tools to this set. Undefined if the tool set has not
   * been decided yet.
   */
  readonly remembered: PlannedConversation | undefined;
  /**
   * Number of tokens that were sent with the whole tool list after a plan missed its deadline. Undefined if every
   * plan met its deadline.
   */
  readonly lateTokens: number | undefined;
}

export interface ToolSet {
  /** Positions of the forwarded tools. Undefined if all tools are forwarded. */
  readonly positions: ReadonlySet<number> | undefined;
  readonly reason:
    'override' | 'short_list' | 'uncertain' | 'prior' | 'calibrated' | 'recall_off' | 'net_negative';
  /** Whether the newest turn added tools to the tool set. */
  readonly grown: boolean;
  readonly recovery: Recovery;
  readonly worth: Worth | null;
  /**
   * The index (from 0) of the turn that decided the tool set. Null if an earlier request decided the tool set, or if
   * the tool set has not been decided yet.
   */
  readonly decidedAt: number | null;
  /**
   * Identifies the ranking that chose the tool set (`TurnRanking.rankedBy`). Undefined if the tool set was
   * not chosen by a ranking.
   */
  readonly rankedBy: string | undefined;
  /** Whether all turns so far lack evidence about the needed tools, so that a later turn may still prune tools. */
  readonly isUndecided: boolean;
}

/**
 * Minimum evidence (`TurnRanking.evidence`) with which a turn decides the tool set. The evidence of one distinctive
 * word is 1. Below the minimum, a ranking would be close to arbitrary. The command `npm run eval:tools` prints how
 * many real requests are below the minimum, and how often their first ten ranked tools include a needed tool.
 */
export const evidenceMin = 0.5;

const unarmed: Recovery = { armed: false, way: 'in_place' };

/**
 * Chooses the tool set for a conversation. The first turn with enough evidence about tools decides the tool
 * set, and later turns add tools. Until then, all tools are forwarded. The tool set for a turn depends only
 * on this turn and earlier turns. Once decided, the tool set never loses a tool.
 * @param turns all turns, or only the turns that follow the stored turns.
 */
export function* chooseToolSet(
  index: KeywordIndex,
  turns: readonly RankedTurn[],
  options: ToolSetOptions,
): Pieces<ToolSet> {
  const { kOverride, remembered } = options;
  const scored = index.names.length - options.pinned.size;
  if (kOverride === null && scored <= shortListMax) return everything('short_list');
  if (remembered !== undefined) return yield* growRemembered(index, turns, remembered, options);
  if (kOverride !== null && scored <= kOverride) return everything('override');
  if (options.decision.state === 'off' && kOverride === null) return everything('recall_off');
  const decidedAt = turns.slice(0, decidingTurnsMax).findIndex((turn) => isDeciding(turn, options));
  const deciding = turns[decidedAt];
  if (deciding === undefined)
    return { ...everything('uncertain'), isUndecided: turns.length < decidingTurnsMax };
  const { rankedBy } = deciding.ranking;
  const begun = { ...chooseFirst(index, deciding, scored, decidedAt, options), decidedAt, rankedBy };
  if (begun.positions === undefined) return begun;
  return yield* growSet(index, turns.slice(decidedAt + 1, growingTurnsMax), begun, options);
}

/**
 * Whether a turn contains enough evidence to choose tools. An override of K (the number of ranked tools)
 * applies to every turn, even without evidence.
 */
function isDeciding({ ranking, mentioned }: RankedTurn, { kOverride, priors }: ToolSetOptions): boolean {
  if (kOverride !== null || mentioned.length > 0) return true;
  return ranking.evidence >= evidenceMin && surenessOf(ranking) >= priorFor(priors, ranking).surenessMin;
}

function everything(reason: ToolSet['reason'], worth: Worth | null = null): ToolSet {
  return {
    ...{ positions: undefined, reason, grown: false, recovery: unarmed, worth },
    ...{ decidedAt: null, rankedBy: undefined, isUndecided: false },
  };
}

function* growRemembered(
  index: KeywordIndex,
  turns: readonly RankedTurn[],
  remembered: PlannedConversation,
  options: ToolSetOptions,
): Pieces<ToolSet> {
  const positions = new Set(remembered.forwarded.filter((position) => position < index.names.length));
  const reason = options.kOverride === null ? 'prior' : 'override';
  const recovery = { armed: remembered.way !== null, way: remembered.way ?? 'in_place' };
  const [rankedBy] = remembered.policyVersion.split('/');
  const begun: ToolSet = { ...everything(reason), positions, recovery, rankedBy };
  if (positions.size === index.names.length) return begun;
  const growing = turns.slice(0, Math.max(0, growingTurnsMax - remembered.turns));
  return yield* growSet(index, growing, begun, options);
}

function chooseFirst(
  { names }: KeywordIndex,
  { ranking, mentioned }: RankedTurn,
  scored: number,
  at: number,
  options: ToolSetOptions,
): ToolSet {
  const { decision, kOverride, mayRecover, recallTarget, price } = options;
  const prior = priorFor(options.priors, ranking);
  const isMeasured = decision.state === 'calibrated';
  const hasCurve = isMeasured && decision.steps.length > 0;
  const chosen = chooseK({
    recall: hasCurve ? measuredRecall(decision.steps) : priorRecall(prior, ranking, names.length),
    recallOf: hasCurve ? 'conversation' : 'turn',
    tools: names.length,
    scored,
    recallTarget,
    recoveredShare: decision.recoveryRate,
    mayRecover,
    kMin: prior.kMin,
    kOverride,
    measured: fixedFor(ranking, names.length, options),
    price,
    sent: sentWhole(at, options),
  });
  const reason = kOverride === null ? (isMeasured ? 'calibrated' : 'prior') : 'override';
  if (chosen.k === undefined) return everything(chosen.why === 'chosen' ? reason : chosen.why, chosen.worth);
  const named = new Set([...options.pinned, ...mentioned]);
  const positions = new Set(takeTop(ranking, named, chosen.k));
  return { ...everything(reason, chosen.worth), positions, recovery: chosen.recovery };
}

/**
 * The earlier requests that were sent with the whole tool list. The whole list is sent if no turn contains
 * enough evidence about tools, or if a plan misses its deadline.
 */
function sentWhole(at: number, { price, lateTokens }: ToolSetOptions): SentWhole | null {
  const tokens = at === 0 ? 0 : (price?.sentTokens?.[at] ?? price?.headTokens ?? 0);
  const isFresh = at === 0 || price?.sentTokens?.[at] === 0;
  if (isFresh && lateTokens === undefined) return null;
  return { tokens: Math.max(tokens, lateTokens ?? 0), requests: Math.max(1, at) };
}

/** The `k` best tools among those that are not forwarded yet. */
function takeTop({ order }: TurnRanking, named: ReadonlySet<number>, k: number): number[] {
  const chosen: number[] = [];
  for (const position of order) {
    if (chosen.length >= k) break;
    if (!named.has(position)) chosen.push(position);
  }
  return chosen;
}

/**
 * Adds the tools that later turns need. A conversation never changes its ranker. A turn that was ranked by another
 * ranker adds no tools.
 */
function* growSet(
  { names }: KeywordIndex,
  turns: readonly RankedTurn[],
  begun: ToolSet,
  options: ToolSetOptions,
): Pieces<ToolSet> {
  const positions = new Set(begun.positions);
  const { recovery } = begun;
  const { kOverride, pinned, appends } = options;
  // With a constant set of deferred tools, later turns load no tools.
  if (options.deferral !== undefined && !appends) return begun;
  let grown = false;
  for (const turn of turns) {
    yield;
    grown = false;
    if (turn.ranking.rankedBy !== begun.rankedBy) continue;
    const prior = priorFor(options.priors, turn.ranking);
    const fixed = fixedFor(turn.ranking, names.length, options);
    const added = chooseGrowth(turn, {
      isIn: (position) => positions.has(position) || pinned.has(position),
      pinned,
      recall: priorRecall(prior, turn.ranking, names.length),
      needed: needed(options, recovery),
      isReachable: recovery.armed,
      isFree: recovery.armed && (appends || recovery.way === 'regrown'),
      isAppended: recovery.armed && appends,
      fixedK: kOverride ?? (recovery.armed ? fixed?.k : fixed?.kWithoutRecovery) ?? null,
      isOverride: kOverride !== null,
      kMin: prior.kMin,
      surenessMin: prior.surenessMin,
    });
    for (const position of added) positions.add(position);
    grown = added.length > 0;
  }
  return { ...begun, positions, grown };
}

/** The required recall of a turn's forwarded tools, for a K that comes from the priors. */
function needed({ recallTarget, decision }: ToolSetOptions, recovery: Recovery): number {
  return recovery.armed ? neededRecall(recallTarget, decision.recoveryRate) : recallTarget;
}

/**
 * The K that applies unchanged to the whole conversation. It comes from the account's routing policy or, if the
 * provider defers tools, from the priors for deferral. Null if K comes from the priors for single turns.
 */
function fixedFor(
  ranking: TurnRanking,
  tools: number,
  { decision, deferral, mayRecover, priors, recallTarget }: ToolSetOptions,
): MeasuredK | null {
  if (decision.state === 'calibrated') return decision;
  if (deferral === undefined) return null;
  const wanted = { tools, recallTarget, recoveredShare: mayRecover ? decision.recoveryRate : 0 };
  const k = deferralK(priorFor(priors, ranking), deferral, wanted);
  return mayRecover ? { k, kWithoutRecovery: null } : { k: null, kWithoutRecovery: k };
}
