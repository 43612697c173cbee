import type { ToolListIndex } from '../ranking/tool-list-index.ts';
import type { TurnRanking } from '../ranking/ranker.port.ts';
import { chooseScoreMin, type KPolicy } from './k-policy.ts';

/** User turns that may still add tools. Later ones leave the set as it is, so that a transcript of any length has a bounded cost. */
export const growingTurnsMax = 64;
/** Best score from which on a turn tells anything at all: about one rare word in a name. Thanks and greetings are below it. */
const evidenceScoreMin = 3;

/** A user turn as far as it decides about tools. */
export interface RankedTurn {
  readonly ranking: TurnRanking;
  /** Positions of tools that the turn names. */
  readonly mentioned: readonly number[];
}

export interface SessionSetOptions {
  readonly policy: KPolicy;
  readonly recallTarget: number;
  readonly kOverride: number | null;
  /** Positions that go out anyway and take no place in K. Fixed by the list. */
  readonly pinned: ReadonlySet<number>;
}

export interface SessionSet {
  /** Positions; undefined when everything goes out. */
  readonly positions: ReadonlySet<number> | undefined;
  readonly reason: 'override' | 'short_list' | 'uncertain' | 'prior';
  /** Whether the newest turn added to the set. */
  readonly grown: boolean;
}

/**
 * The tools of a session: the first turn's choice, and what later turns ask for beyond it. Each turn's part depends on
 * the turns up to it alone, so the set of a transcript holds the set of every beginning of it.
 *
 * Growing rewrites a cached prefix, so a turn adds nothing while its best tools are in. It is held to the recall target
 * all the same: when it grew only where the very best tool was surely out, recall of the last turn at a target of 0.95
 * was 85 to 87% on the public dialogues at 100 candidates; like this it is 95%, and 0.28 of the later turns grow the set
 * (`node training/k-priors/measure-sessions.ts`).
 */
export function chooseSessionSet(
  index: ToolListIndex,
  turns: readonly RankedTurn[],
  options: SessionSetOptions,
): SessionSet {
  const scored = index.names.length - options.pinned.size;
  const { kOverride, policy } = options;
  if (kOverride === null && scored <= policy.shortListMax) return everything('short_list');
  const first = turns[0];
  if (first === undefined || (kOverride !== null && scored <= kOverride)) {
    return everything(kOverride === null ? 'uncertain' : 'override');
  }
  const named = new Set([...options.pinned, ...first.mentioned]);
  const positions =
    kOverride === null ? chooseByPrior(index, first, named, options) : chooseTop(first, named, kOverride);
  if (positions === undefined) return everything('uncertain');
  let grown = false;
  for (const turn of turns.slice(1, growingTurnsMax)) {
    for (const position of turn.mentioned) named.add(position);
    const added = chooseGrowth(index, turn, positions, named, options);
    for (const position of added) positions.add(position);
    grown = added.length > 0;
  }
  if (turns.length > growingTurnsMax) grown = false;
  return { positions, reason: kOverride === null ? 'prior' : 'override', grown };
}

function everything(reason: SessionSet['reason']): SessionSet {
  return { positions: undefined, reason, grown: false };
}

/** The best `k` of those that are not in anyway. */
function chooseTop({ ranking }: RankedTurn, named: ReadonlySet<number>, k: number): Set<number> {
  const chosen = new Set<number>();
  for (const position of ranking.order) {
    if (chosen.size >= k) break;
    if (!named.has(position)) chosen.add(position);
  }
  return chosen;
}

/** Every tool above the measured share of the best score, and at least `kMin`; undefined when the turn is too uncertain. */
function chooseByPrior(
  index: ToolListIndex,
  turn: RankedTurn,
  named: ReadonlySet<number>,
  options: SessionSetOptions,
): Set<number> | undefined {
  const scoreMin = scoreMinOf(index, turn.ranking, options);
  if (scoreMin === undefined) return undefined;
  const chosen = chooseTop(turn, named, options.policy.kMin);
  for (const position of turn.ranking.order) {
    if ((turn.ranking.scores[position] ?? 0) < scoreMin) break;
    if (!named.has(position)) chosen.add(position);
  }
  return chosen;
}

/** What a later turn adds: its own choice, if any of the tools it ranks first is out. */
function chooseGrowth(
  index: ToolListIndex,
  turn: RankedTurn,
  positions: ReadonlySet<number>,
  named: ReadonlySet<number>,
  options: SessionSetOptions,
): number[] {
  const { order, topScore } = turn.ranking;
  if (topScore < evidenceScoreMin) return [];
  const { kOverride, policy } = options;
  const isOut = (position: number | undefined): boolean =>
    position !== undefined && !positions.has(position) && !named.has(position);
  const sure =
    kOverride === null ? chooseByPrior(index, turn, named, options) : chooseTop(turn, named, kOverride);
  // A turn that is not sure would need the whole list; while its best tool is in, it goes without.
  if (sure === undefined && !isOut(order[0])) return [];
  const chosen = sure ?? chooseTop(turn, named, policy.kMin);
  const isWanting = order
    .subarray(0, policy.kMin)
    .some((position) => chosen.has(position) && isOut(position));
  return isWanting ? [...chosen].filter(isOut) : [];
}

function scoreMinOf(
  index: ToolListIndex,
  { topScore, namesTop }: TurnRanking,
  { policy, recallTarget }: SessionSetOptions,
): number | undefined {
  return chooseScoreMin(policy, { tools: index.names.length, recallTarget, topScore, namesTop });
}
