import type { Pieces } from '@gateway/messaging';
import type { KeywordIndex } from '../tool-index/keyword-index.ts';
import type { RankedTurn } from './grow-set.ts';
import { chooseToolSet, type ToolSetOptions } from './tool-set.ts';

/** Approximate ratio of two consecutive values of K (the number of ranked tools) in a replay. */
const gridFactor = 1.03;
/**
 * Values that limit the computation time of one replay. In long conversations with long tool lists, the
 * router tries fewer values of K (the number of ranked tools).
 */
const [coarseFactor, coarseFrom] = [1.5, 20_000];

/**
 * The values of K (the number of ranked tools) for which a conversation is planned again. Small values of K
 * are consecutive numbers from 1, and the steps between larger values increase.
 */
export function listGrid(scored: number, factor = gridFactor): number[] {
  const grid: number[] = [];
  for (let k = 1; k < scored; k = Math.max(k + 1, Math.round(k * factor))) grid.push(k);
  return grid;
}

/**
 * Plans a shadow conversation again for each tried K, as if the account had a calibrated policy with that K.
 * Returns a K for each tool. With the returned K and every larger K, the newest turn's tool set contains the
 * tool. If no tried K includes a tool, its K is the number of tools that count toward K.
 * @param turns every user turn of the conversation so far, oldest first.
 */
export function* replayGrid(
  index: KeywordIndex,
  turns: readonly RankedTurn[],
  options: ToolSetOptions,
): Pieces<Map<number, number>> {
  const scored = index.names.length - options.pinned.size;
  const held = new Map<number, number>();
  // The code tracks the tools that every tool set so far contains, and the smallest K tried so far.
  const always = new Set(index.names.keys());
  let smallest = Math.max(1, scored);
  const factor = index.names.length * turns.length > coarseFrom ? coarseFactor : gridFactor;
  for (const k of listGrid(scored, factor).reverse()) {
    yield;
    const { positions } = yield* chooseToolSet(index, turns, servedWith(k, options));
    for (const position of always) {
      if (positions === undefined || positions.has(position)) continue;
      held.set(position, smallest);
      always.delete(position);
    }
    smallest = k;
    if (always.size === 0) break;
  }
  for (const position of always) held.set(position, smallest);
  return held;
}

/** The options of a policy that uses the same K for every request. */
function servedWith(k: number, options: ToolSetOptions): ToolSetOptions {
  return {
    ...options,
    kOverride: null,
    remembered: undefined,
    decision: { ...options.decision, state: 'calibrated', reason: 'target_met', k, kWithoutRecovery: k },
  };
}

/** The turns of a conversation with one ranking, and the options of the plan for these turns. */
export interface TurnsToPlan {
  readonly turns: readonly RankedTurn[];
  readonly options: ToolSetOptions;
}

/**
 * For each tool, the smallest K (number of ranked tools) at which the tool set of the newest turn would contain the
 * tool. The field `learned` is undefined if no account head fits the tool list.
 */
export interface HeldFrom {
  readonly plain: ReadonlyMap<number, number>;
  readonly learned: ReadonlyMap<number, number> | undefined;
}

interface Replayed {
  readonly index: KeywordIndex;
  /** Positions of the tools that are mentioned in at least one user turn. */
  readonly mentioned: ReadonlySet<number>;
}

/** Measures a shadow conversation without and, if an account head fits the tool list, with the account head. */
export function* heldFromBoth(
  replayed: Replayed,
  plain: TurnsToPlan,
  learned: TurnsToPlan | undefined,
): Pieces<HeldFrom> {
  return {
    plain: yield* heldFrom(replayed, plain),
    learned: learned === undefined ? undefined : yield* heldFrom(replayed, learned),
  };
}

/** Pinned and mentioned tools always have a K of 1. */
function* heldFrom(
  { index, mentioned }: Replayed,
  { turns, options }: TurnsToPlan,
): Pieces<Map<number, number>> {
  const held = yield* replayGrid(index, turns, options);
  for (const position of [...options.pinned, ...mentioned]) held.set(position, 1);
  return held;
}
