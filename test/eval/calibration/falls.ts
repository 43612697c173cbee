import { calibrate } from '../../../apps/worker/src/jobs/calibrate/make-policy.ts';
import { findFall, referenceMin } from '../../../apps/worker/src/jobs/calibrate/watch-recall.ts';
import { powerKnowingRanks } from './best-rank-test.ts';
import { powerOfBestTest } from './best-test.ts';
import { renderSample, seedRandom, simulateAccount, type SimulatedAccount } from './simulated-account.ts';

const cases = [
  { target: 0.9, reference: 100 },
  { target: 0.9, reference: 500 },
  { target: 0.95, reference: 100 },
  { target: 0.95, reference: 500 },
  { target: 0.99, reference: 473 },
] as const;
const watchedMax = 300;
/**
 * The acceptance criteria: a drop is detected within 60 conversations, and at most 1% of runs over 1,000
 * conversations have a false alarm.
 */
const [soon, quietSessions, falseShare] = [60, 1000, 0.01];

export interface FallFigures {
  readonly target: number;
  readonly reference: number;
  /** All ranks are stretched, for example because descriptions got worse. */
  readonly stretched: Delays;
  /** In some conversations, one tool ranks anywhere beyond K, for example because a new tool ranks low. */
  readonly strayed: Delays;
  /** The share of runs over 1,000 conversations without a fall that raise an alarm. */
  readonly falseIn1000: number;
  /**
   * The power of the best possible test that sees only misses, within 60 conversations, at that share of
   * false alarms.
   */
  readonly bestByMisses: number;
  /**
   * The same power for a test that sees all ranks and knows their distribution in advance, with misses at the
   * true mean rate.
   */
  readonly bestByRanks: number;
}

/** The number of conversations until the drop is detected. Null if it is not detected within 300. */
export interface Delays {
  readonly p50: number | null;
  readonly p90: number | null;
  readonly within60: number;
}

export function measureFalls(accounts: number, seed: number): FallFigures[] {
  return cases.map(({ target, reference }, at) => measureCase(accounts, seed + 7 * at, target, reference));
}

function measureCase(accounts: number, seed: number, target: number, reference: number): FallFigures {
  const random = seedRandom(seed);
  const [stretched, strayed]: number[][] = [[], []];
  let [falseAlarms, missedShares] = [0, 0];
  for (let at = 0; at < accounts; at += 1) {
    const account = simulateAccount(random);
    const draw = (): readonly number[] => account.draw(random);
    const usual = Array.from({ length: reference }, draw);
    const k = chooseFrom(usual, account.tools, target);
    missedShares += 1 - (account.recallAt[k] ?? 1);
    // If K covers the whole list, nothing can be missed.
    if (k < account.tools) {
      const stretch = stretchRanks(account, k);
      stretched?.push(...watchFall(usual, k, () => stretch(random)));
      strayed?.push(...watchFall(usual, k, () => strayFrom(account, k, random)));
    }
    const quiet = Array.from({ length: referenceMin + quietSessions - reference }, draw);
    falseAlarms += Number(findAlarm([...usual, ...quiet], k) !== null);
  }
  // Each window of 60 among the 1,000 conversations gets an equal part of the allowed false alarms.
  const level = falseShare / Math.floor(quietSessions / soon);
  const missed = missedShares / accounts;
  return {
    ...{ target, reference },
    stretched: describe(stretched ?? []),
    strayed: describe(strayed ?? []),
    falseIn1000: falseAlarms / accounts,
    bestByMisses: powerOfBestTest(soon, { before: 1 - target, after: 1 - target + 0.1, level }),
    bestByRanks: powerKnowingRanks(soon, { before: missed, after: missed + 0.1, level }, random),
  };
}

function chooseFrom(usual: readonly (readonly number[])[], tools: number, target: number): number {
  const samples = usual.map((ranks, place) => renderSample(ranks, tools, place));
  const goals = { recallTarget: target, hasRecovery: false };
  const k = calibrate({ samples, pruned: [] }, null, goals).buckets[0]?.k ?? undefined;
  if (k === undefined) throw new Error('the reference does not suffice');
  return k;
}

/**
 * The number of conversations until the alarm, or infinity if no alarm is raised. Undefined for a false alarm
 * before the fall.
 */
function watchFall(
  usual: readonly (readonly number[])[],
  k: number,
  drawFallen: () => readonly number[],
): number[] {
  const alarm = findAlarm([...usual, ...Array.from({ length: watchedMax }, drawFallen)], k);
  if (alarm === null) return [Infinity];
  return alarm < usual.length ? [] : [alarm - usual.length + 1];
}

function findAlarm(sessions: readonly (readonly number[])[], k: number): number | null {
  const samples = sessions.map((ranks) => ({ neededKs: [...ranks].sort((one, other) => other - one) }));
  return findFall(samples, k)?.noticedAt ?? null;
}

function describe(delays: readonly number[]): Delays {
  const sorted = delays.toSorted((one, other) => one - other);
  const quantile = (share: number): number | null => {
    const delay = sorted[Math.floor(share * (sorted.length - 1))] ?? Infinity;
    return Number.isFinite(delay) ? delay : null;
  };
  const within60 = delays.filter((delay) => delay <= soon).length / delays.length;
  return { p50: quantile(0.5), p90: quantile(0.9), within60 };
}

/** The same account, with ranks stretched until recall at `k` drops by ten percentage points. */
function stretchRanks({ recallAt, tools, draw }: SimulatedAccount, k: number) {
  const wanted = (recallAt[k] ?? 1) - 0.1;
  let [low, high] = [1, 64];
  for (let round = 0; round < 40; round += 1) {
    const stretch = (low + high) / 2;
    const recall = recallAt[Math.floor(k / stretch)] ?? 0;
    if (recall > wanted) low = stretch;
    else high = stretch;
  }
  // The stretched ranks are spread between two ranks, because gaps would otherwise reveal the fall.
  return (random: () => number): number[] =>
    draw(random).map((rank) => Math.min(tools, Math.ceil((rank - random()) * high)));
}

/**
 * A conversation of an account in which ten points of the conversations that `k` sufficed for need a tool
 * beyond it.
 */
function strayFrom({ recallAt, tools, draw }: SimulatedAccount, k: number, random: () => number) {
  const ranks = [...draw(random)];
  if (Math.max(...ranks) > k || random() >= 0.1 / (recallAt[k] ?? 1)) return ranks;
  ranks[Math.floor(random() * ranks.length)] = k + 1 + Math.floor(random() * (tools - k));
  return ranks;
}
