import type { Pieces } from '@gateway/messaging';
import type { KeywordIndex } from '../tool-index/keyword-index.ts';
import type { RankedTurn } from './grow-set.ts';
import { chooseToolSet, type ToolSetOptions } from './tool-set.ts';

/** Each K of the grid is about this many times the one before it. */
const gridFactor = 1.06;
/** Long conversations with long lists get a coarser grid, which bounds the time of a replay. */
const [coarseFactor, coarseFrom] = [1.5, 20_000];

/** The values of K at which a list is replayed: every K from `kMin` at first, then in growing steps. */
export function listGrid(kMin: number, scored: number, factor = gridFactor): number[] {
  const grid: number[] = [];
  for (let k = Math.max(1, kMin); k < scored; k = Math.max(k + 1, Math.round(k * factor))) grid.push(k);
  return grid;
}

/**
 * Replays a shadow conversation's plan with each K of the grid, as a calibrated policy with that K would have
 * served it. Returns for each tool the smallest K that holds it in the newest turn, such that every larger K
 * holds it too. A tool that only the whole list holds has the number of scored tools.
 * @param turns every user turn of the conversation so far, oldest first.
 */
export function* replayGrid(
  index: KeywordIndex,
  turns: readonly RankedTurn[],
  options: ToolSetOptions,
): Pieces<Map<number, number>> {
  const scored = index.names.length - options.pinned.size;
  const held = new Map<number, number>();
  // Tools that each K so far holds, and the smallest of these K.
  const always = new Set(index.names.keys());
  let smallest = Math.max(1, scored);
  const [first] = turns;
  const kMin = first === undefined ? 1 : options.priors[first.ranking.method].kMin;
  const factor = index.names.length * turns.length > coarseFrom ? coarseFactor : gridFactor;
  for (const k of listGrid(kMin, scored, factor).reverse()) {
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

/** The options under a policy that calibrated this K for every request. */
function servedWith(k: number, options: ToolSetOptions): ToolSetOptions {
  return {
    ...options,
    kOverride: null,
    remembered: undefined,
    decision: { ...options.decision, state: 'calibrated', reason: 'target_met', k, kWithoutRecovery: k },
  };
}
