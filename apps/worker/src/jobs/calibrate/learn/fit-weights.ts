import { setImmediate } from 'node:timers/promises';

/** The tools of one turn. */
export interface FitTurn {
  /** The features of each tool. */
  readonly rows: readonly (readonly number[])[];
  /** The positions of the needed tools in `rows`. */
  readonly needed: ReadonlySet<number>;
  readonly weight: number;
}

/** Maximum numbers of Newton steps, and of halvings of a step that does not reduce the loss. */
const [stepsMax, halvingsMax] = [12, 5];
/** The relative change of the loss that ends the fit. */
const tolerance = 1e-5;
/** Strength of the pull towards the initial weights. */
const ridge = 1;
/** Number of turns after which the fit lets other work run. */
const turnsPerPiece = 32;

/** The loss at some weights, with its gradient and its matrix of second derivatives. */
interface Loss {
  value: number;
  readonly gradient: number[];
  readonly curvature: number[][];
}

/**
 * Fits the weights of a conditional logit model (McFadden, 1974) with Newton's method. Each needed tool of a turn
 * competes with the tools that the turn does not need. The result is deterministic. No weight is negative, because
 * a higher feature never makes a tool less likely.
 * @param initial the weights without any turn
 */
export async function fitWeights(turns: readonly FitTurn[], initial: readonly number[]): Promise<number[]> {
  let weights = [...initial];
  let loss = await measure(turns, weights, initial);
  for (let step = 0; step < stepsMax; step += 1) {
    const { value, gradient, curvature } = loss;
    const change = solve(curvature, gradient, (at) => weights[at] === 0 && (gradient[at] ?? 0) > 0);
    for (let halving = 0; halving <= halvingsMax && loss.value >= value; halving += 1) {
      const next = weights.map((weight, at) => Math.max(0, weight - 0.5 ** halving * (change[at] ?? 0)));
      const measured = await measure(turns, next, initial);
      if (measured.value < value) [weights, loss] = [next, measured];
    }
    if (loss.value > value * (1 - tolerance)) break;
  }
  return weights;
}

async function measure(
  turns: readonly FitTurn[],
  weights: readonly number[],
  initial: readonly number[],
): Promise<Loss> {
  const away = weights.map((weight, at) => weight - (initial[at] ?? 0));
  const loss = {
    value: away.reduce((sum, each) => sum + (ridge / 2) * each * each, 0),
    gradient: away.map((each) => ridge * each),
    curvature: weights.map((_, at) => weights.map((__, other) => (at === other ? ridge : 0))),
  };
  for (const [at, turn] of turns.entries()) {
    if (at % turnsPerPiece === 0) await setImmediate();
    addTurn(turn, weights, loss);
  }
  return loss;
}

function addTurn({ rows, needed, weight }: FitTurn, weights: readonly number[], loss: Loss): void {
  const width = weights.length;
  const scores = rows.map((row) => row.reduce((sum, value, i) => sum + value * (weights[i] ?? 0), 0));
  const top = Math.max(...scores);
  const odds = scores.map((score) => Math.exp(score - top));
  // The sums over the tools that the turn does not need: odds, odds times row, odds times products of the row.
  const sums = new Float64Array(1 + width + width * width);
  for (const [at, row] of rows.entries()) if (!needed.has(at)) addRow(sums, row, odds[at] ?? 0);
  for (const at of needed) {
    const row = rows[at] ?? [];
    const all = sums.slice();
    addRow(all, row, odds[at] ?? 0);
    const total = all[0] ?? 1;
    loss.value += weight * (Math.log(total) + top - (scores[at] ?? 0));
    for (let i = 0; i < width; i += 1) {
      const mean = (all[1 + i] ?? 0) / total;
      loss.gradient[i] = (loss.gradient[i] ?? 0) + weight * (mean - (row[i] ?? 0));
      const target = loss.curvature[i] ?? [];
      for (let j = 0; j < width; j += 1) {
        const square = (all[1 + width + i * width + j] ?? 0) / total;
        target[j] = (target[j] ?? 0) + weight * (square - (mean * (all[1 + j] ?? 0)) / total);
      }
    }
  }
}

function addRow(sums: Float64Array, row: readonly number[], odds: number): void {
  const width = row.length;
  sums[0] = (sums[0] ?? 0) + odds;
  for (let i = 0; i < width; i += 1) {
    const x = odds * (row[i] ?? 0);
    sums[1 + i] = (sums[1 + i] ?? 0) + x;
    const from = 1 + width + i * width;
    for (let j = 0; j < width; j += 1) sums[from + j] = (sums[from + j] ?? 0) + x * (row[j] ?? 0);
  }
}

/**
 * Solves a small positive definite system by Gaussian elimination.
 * @param isFixed whether the solution is zero at a position
 */
function solve(
  matrix: readonly (readonly number[])[],
  right: readonly number[],
  isFixed: (at: number) => boolean,
): number[] {
  const free = right.map((_, at) => !isFixed(at));
  const rows = matrix.map((row, at) => {
    const kept = row.map((value, other) => (free[at] === true && free[other] === true ? value : 0));
    return free[at] === true ? [...kept, right[at] ?? 0] : [...kept.with(at, 1), 0];
  });
  for (const [at, pivot] of rows.entries())
    for (const [other, row] of rows.entries()) {
      if (other === at) continue;
      const factor = (row[at] ?? 0) / (pivot[at] ?? 1);
      for (let column = 0; column < row.length; column += 1)
        row[column] = (row[column] ?? 0) - factor * (pivot[column] ?? 0);
    }
  return rows.map((row, at) => (row.at(-1) ?? 0) / (row[at] ?? 1));
}
