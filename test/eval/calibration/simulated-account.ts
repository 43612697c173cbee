/**
 * A simulated account with a known true recall. The account has a tool list and a fixed set of conversations,
 * each with the ranks of the called tools. A conversation has one to six tool calls of equal difficulty, so
 * its calls are not independent samples.
 */
export interface SimulatedAccount {
  readonly tools: number;
  /** For each K from 1, the share of conversations in which the K best tools include every needed tool. */
  readonly recallAt: Float64Array;
  /** For each conversation, the ranks of the needed tools, without duplicates. */
  readonly sessions: readonly (readonly number[])[];
  /** Draws one of the account's fixed conversations, so that the shares in `recallAt` are exact. */
  readonly draw: (random: () => number) => readonly number[];
}

/**
 * A conversation has up to `callsMax` tool calls, and a random difficulty that multiplies the tool ranks. All
 * numbers of calls are equally likely, and so are all difficulties from `min` to `max`.
 */
export const callsMax = 6;
export const difficulties = { min: 0.3, max: 1.7 } as const;

/**
 * Two distributions of needed-tool ranks. In the first distribution, most needed tools have ranks near the
 * top. In the second distribution, some needed tools have arbitrary ranks. Ranks in real tool sets lie
 * between the two distributions.
 */
const shapes = ['geometric', 'heavy', 'mixed'] as const;
const sessionsMax = 10_000;

export function simulateAccount(random: () => number): SimulatedAccount {
  const tools = [30, 60, 100, 200, 400][Math.floor(random() * 5)] ?? 100;
  const draw = makeSessions(tools, random);
  const sessions = Array.from({ length: sessionsMax }, () => [...new Set(draw(random))]);
  return {
    ...{ tools, sessions },
    recallAt: countRecall(tools, sessions),
    draw: (next) => sessions[Math.floor(next() * sessions.length)] ?? [],
  };
}

function makeSessions(tools: number, random: () => number): (random: () => number) => number[] {
  const shape = shapes[Math.floor(random() * shapes.length)] ?? 'mixed';
  const scale = tools * (0.02 + 0.1 * random());
  const stray = 0.002 + 0.03 * random();
  const drawOne = (next: () => number, difficulty: number): number => {
    if (shape !== 'geometric' && next() < stray) return 1 + Math.floor(next() * tools);
    const depth = -Math.log(1 - next()) * scale * difficulty;
    return 1 + Math.floor(shape === 'heavy' ? depth * Math.sqrt(1 + depth / scale) : depth);
  };
  return (next) => {
    const difficulty = difficulties.min + (difficulties.max - difficulties.min) * next();
    const calls = 1 + Math.floor(next() * callsMax);
    return Array.from({ length: calls }, () => Math.min(tools, drawOne(next, difficulty)));
  };
}

function countRecall(tools: number, sessions: readonly (readonly number[])[]): Float64Array {
  const counts = new Float64Array(tools + 1);
  for (const ranks of sessions) {
    const needed = Math.max(...ranks);
    counts[needed] = (counts[needed] ?? 0) + 1;
  }
  let sum = 0;
  return counts.map((count) => (sum += count) / sessions.length);
}

/** Returns the true effective recall of plans that forward the `k` best tools. */
export function effectiveRecallOf({ sessions }: SimulatedAccount, k: number, recoveryRate: number): number {
  let sum = 0;
  for (const ranks of sessions) {
    const missed = ranks.reduce((count, rank) => count + Number(rank > k), 0);
    sum += missed === 0 ? 1 : recoveryRate ** missed;
  }
  return sum / sessions.length;
}

/**
 * Returns the smallest K at which true effective recall meets the recall target. An oracle, which knows all
 * needed tools, would forward exactly K tools. Effective recall never decreases as K grows.
 */
export function chooseOracleK(account: SimulatedAccount, target: number, recoveryRate: number): number {
  let [low, high] = [1, account.tools];
  while (low < high) {
    const k = (low + high) >> 1;
    if (effectiveRecallOf(account, k, recoveryRate) >= target) high = k;
    else low = k + 1;
  }
  return low;
}
