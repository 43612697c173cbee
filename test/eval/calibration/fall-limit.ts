import { randomFrom } from '@gateway/testing';
import { calibrate } from '../../../apps/worker/src/jobs/calibrate/make-policy.ts';
import type { ShadowSample } from '../../../apps/worker/src/jobs/calibrate/measure-bucket.ts';
import { suspectedShare } from '../../../apps/worker/src/jobs/calibrate/watch-recall.ts';
import { strayFrom, stretchRanks, targets } from './falls.ts';
import { recoveryRates } from './promises.ts';
import { simulateAccount, type SimulatedAccount } from './simulated-account.ts';

/** Number of shadow conversations from which the policy's K is measured. */
const samplesCount = 300;

/** Number of conversations from which the probabilities before and after a fall are estimated. */
const draws = 8_000;
/** Number of intervals of ranks with equal shares before the fall. */
const intervals = 20;
/**
 * The mean number of conversations until a false alarm. With this mean, 1% of accounts have a false alarm within
 * 20,000 conversations, because run lengths have a nearly exponential distribution.
 */
const falseAlarmEvery = 20_000 / 0.01;
/** The shares of shadow conversations before and after the suspicion. */
const [usualShare, suspectedShadowShare] = [0.05, 0.2];

type Draw = (random: () => number) => readonly number[];

interface FallCase {
  readonly account: SimulatedAccount;
  /** Number of forwarded tools. */
  readonly k: number;
  /** The probability that the model recovers a missed tool. */
  readonly recoveryRate: number;
  /** Draws a conversation after the fall. */
  readonly after: Draw;
  readonly random: () => number;
}

/**
 * The mean delay until a test that knows the account's distributions before and after the fall raises the alarm, in
 * conversations.
 */
interface FallLimit {
  /** With a share of shadow conversations of 5%, and of 20% after the suspicion. */
  readonly delay: number;
  /** With a share of shadow conversations of 5%, and only shadow conversations after the suspicion. */
  readonly delayAllShadow: number;
  /** Nats per pruned and per shadow conversation after the fall. */
  readonly prunedNats: number;
  readonly shadowNats: number;
}

/** The medians over simulated accounts. */
export interface LimitFigures {
  readonly target: number;
  readonly recoveryRate: number;
  readonly stretched: FallLimit;
  readonly strayed: FallLimit;
  readonly both: FallLimit;
}

/** Computes the smallest possible delays for accounts and falls like those of `measureFalls`. */
export function measureLimits(accounts: number, seed: number): LimitFigures[] {
  return targets.flatMap((target) =>
    recoveryRates.map((recoveryRate) => {
      const random = randomFrom(seed);
      const [stretched = [], strayed = []] = [stretchRanks, strayFrom].map((change) =>
        Array.from({ length: accounts }, () => {
          const account = simulateAccount(random);
          const k = measureK(account, target, random);
          // Recall can fall by ten percentage points only if K prunes tools.
          if (k === null || k >= account.tools || (account.recallAt[k] ?? 0) < 0.1) return null;
          return limitFall({ account, k, recoveryRate, after: change(account, k), random });
        }).filter((limit) => limit !== null),
      );
      const both = medians([...stretched, ...strayed]);
      return { target, recoveryRate, stretched: medians(stretched), strayed: medians(strayed), both };
    }),
  );
}

/** The policy's K with the prior recovery rate. With a larger K, conversations contain more evidence of a fall. */
function measureK(account: SimulatedAccount, recallTarget: number, random: () => number): number | null {
  const samples = Array.from({ length: samplesCount }, (_, at): ShadowSample => {
    const neededKs = [...account.draw(random)].sort((one, other) => other - one);
    return {
      ...{ at: new Date(at * 1000).toISOString(), bucket: 'act:51-100', neededKs, missed: 0, isArmed: true },
      ...{ share: 0.05, tools: account.tools, setup: ['list', 'model', 'ranker'] },
    };
  });
  const { buckets } = calibrate({ samples, pruned: [] }, null, { recallTarget, hasRecovery: true });
  return buckets[0]?.k ?? null;
}

function medians(limits: readonly FallLimit[]): FallLimit {
  const median = (field: keyof FallLimit): number => {
    const sorted = limits.map((each) => each[field]).sort((one, other) => one - other);
    return sorted[Math.floor(sorted.length / 2)] ?? Number.NaN;
  };
  return {
    ...{ delay: median('delay'), delayAllShadow: median('delayAllShadow') },
    ...{ prunedNats: median('prunedNats'), shadowNats: median('shadowNats') },
  };
}

/**
 * Computes the delay of CUSUM with known distributions. No other test with the same mean time between false alarms has
 * a smaller worst delay (Moustakides, "Optimal stopping times for detecting changes in distributions", 1986). The
 * formulas for delay and false alarms are those of a Brownian motion (Siegmund, "Sequential analysis", 1985).
 */
function limitFall({ account, k, recoveryRate, after, random }: FallCase): FallLimit {
  const before = observe(account.draw, k, recoveryRate, random);
  const fallen = observe(after, k, recoveryRate, random);
  const pruned = compare([before.recovered], [fallen.recovered]);
  const misses = compare([before.missed], [fallen.missed]);
  const ranks = compareRanks(before.ranks, fallen.ranks);
  const shadow = ranks.post > misses.post ? ranks : misses;
  const natsAt = (share: number, of: keyof Information): number =>
    (1 - share) * pruned[of] + share * shadow[of];
  const threshold = solveThreshold(natsAt(usualShare, 'pre'));
  const delayWith = (share: number): number =>
    (suspectedShare * threshold) / natsAt(usualShare, 'post') +
    ((1 - suspectedShare) * threshold - 1) / natsAt(share, 'post');
  return {
    ...{ delay: delayWith(suspectedShadowShare), delayAllShadow: delayWith(1) },
    ...{ prunedNats: pruned.post, shadowNats: shadow.post },
  };
}

function observe(draw: Draw, k: number, recoveryRate: number, random: () => number) {
  let [missed, recovered] = [0, 0];
  const ranks: number[] = [];
  for (let at = 0; at < draws; at += 1) {
    const needed = [...new Set(draw(random))];
    const misses = needed.filter((rank) => rank > k).length;
    missed += Number(misses > 0);
    recovered += 1 - (1 - recoveryRate) ** misses;
    ranks.push(...needed);
  }
  return { missed: missed / draws, recovered: recovered / draws, ranks };
}

interface Information {
  /** Nats per conversation against a fall, if recall has not fallen. */
  readonly pre: number;
  /** Nats per conversation for a fall, after the fall. */
  readonly post: number;
}

/** Compares the probabilities of an event, or of several disjoint events, before and after the fall. */
function compare(before: readonly number[], after: readonly number[]): Information {
  const rest = (shares: readonly number[]): number => 1 - shares.reduce((sum, share) => sum + share, 0);
  const [p, q] = [
    [...before, rest(before)],
    [...after, rest(after)],
  ];
  const divergence = (one: readonly number[], other: readonly number[]): number =>
    one.reduce((sum, share, at) => {
      const against = Math.max(other[at] ?? 0, 1e-4);
      return share <= 1e-9 ? sum : sum + share * Math.log(share / against);
    }, 0);
  return { pre: divergence(p, q), post: divergence(q, p) };
}

/** The information of all ranks of a conversation, as if the tool calls of a conversation were independent. */
function compareRanks(before: readonly number[], after: readonly number[]): Information {
  const sorted = before.toSorted((one, other) => one - other);
  const ends = Array.from(
    { length: intervals - 1 },
    (_, at) => sorted[Math.floor(((at + 1) * sorted.length) / intervals)] ?? Infinity,
  );
  const count = (ranks: readonly number[]): number[] => {
    const counts = new Array<number>(intervals - 1).fill(0);
    for (const rank of ranks) {
      const place = ends.findIndex((end) => rank <= end);
      if (place >= 0) counts[place] = (counts[place] ?? 0) + 1 / ranks.length;
    }
    return counts;
  };
  const { pre, post } = compare(count(before), count(after));
  const perConversation = before.length / draws;
  return { pre: pre * perConversation, post: post * perConversation };
}

/** The threshold with the required mean number of conversations between false alarms, (eʰ − h − 1) / nats. */
function solveThreshold(nats: number): number {
  let [low, high] = [0, 40];
  while (high - low > 1e-6) {
    const middle = (low + high) / 2;
    if (Math.exp(middle) - middle - 1 < falseAlarmEvery * nats) low = middle;
    else high = middle;
  }
  return high;
}
