import { chooseK, calibrate } from '../../../apps/worker/src/jobs/calibrate/make-policy.ts';
import { findFall } from '../../../apps/worker/src/jobs/calibrate/watch-recall.ts';
import { renderSample, seedRandom, simulateAccount, type SimulatedAccount } from './simulated-account.ts';

const cases = [
  { target: 0.9, reference: 100 },
  { target: 0.9, reference: 500 },
  { target: 0.95, reference: 100 },
  { target: 0.95, reference: 500 },
  { target: 0.99, reference: 473 },
] as const;
const watchedMax = 300;
const quietSamples = 1000;
/** Runs without a fall are long: half of the accounts tell the share well enough. */
const quietEvery: number = 2;

export interface Fall {
  readonly target: number;
  readonly reference: number;
  readonly delay: { readonly p50: number | null; readonly p90: number | null };
  readonly within60: number;
  readonly falseIn60: number;
  readonly falseIn1000: number;
}

export function measureFalls(accounts: number, seed: number): Fall[] {
  return cases.map(({ target, reference }, at) => measureCase(accounts, seed + 7 * at, target, reference));
}

function measureCase(accounts: number, seed: number, target: number, reference: number): Fall {
  const random = seedRandom(seed);
  const delays: number[] = [];
  let [falseIn60, falseIn1000, quiet] = [0, 0, 0];
  for (let at = 0; at < accounts; at += 1) {
    const account = simulateAccount(random);
    const needed = Array.from({ length: reference }, () => account.draw(random));
    const samples = needed.map((each, place) => renderSample(each, account.tools, place));
    const [bucket] = calibrate(samples, null, target).buckets;
    const k = bucket && chooseK(bucket, target);
    if (k === undefined) throw new Error('the reference does not suffice');
    const worse = worsen(account, k);
    if (worse !== null) delays.push(watch(needed, k, watchedMax, () => worse(random)));
    if (at % quietEvery !== 0) continue;
    quiet += 1;
    const alarm = watch(needed, k, quietSamples, () => account.draw(random));
    falseIn60 += Number(alarm <= 60);
    falseIn1000 += Number(alarm <= quietSamples);
  }
  delays.sort((one, other) => one - other);
  const quantile = (share: number): number | null => {
    const delay = delays[Math.floor(share * (delays.length - 1))] ?? Infinity;
    return Number.isFinite(delay) ? delay : null;
  };
  return {
    ...{ target, reference },
    delay: { p50: quantile(0.5), p90: quantile(0.9) },
    within60: delays.filter((delay) => delay <= 60).length / delays.length,
    falseIn60: falseIn60 / quiet,
    falseIn1000: falseIn1000 / quiet,
  };
}

/** Sessions until the alarm; infinite without one. An alarm raised by the reference itself counts as one at once. */
function watch(reference: readonly number[], k: number, count: number, draw: () => number): number {
  const drawn = [...reference, ...Array.from({ length: count }, draw)].map((neededK) => ({ neededK }));
  const place = findAlarm(drawn, k);
  return place === null ? Infinity : Math.max(1, place - reference.length + 1);
}

function findAlarm(samples: readonly { neededK: number }[], k: number): number | null {
  return findFall(samples, k)?.noticedAt ?? null;
}

/**
 * The same account with ranks stretched until recall at `k` is ten points lower: as when descriptions got worse, or other
 * tools came in between. Null where K is the whole list: nothing can be missed there.
 */
function worsen(account: SimulatedAccount, k: number): ((random: () => number) => number) | null {
  if (k >= account.tools) return null;
  const wanted = (account.recallAt[k] ?? 1) - 0.1;
  let [low, high] = [1, 64];
  for (let round = 0; round < 40; round += 1) {
    const stretch = (low + high) / 2;
    const recall = account.recallAt[Math.floor(k / stretch)] ?? 0;
    if (recall > wanted) low = stretch;
    else high = stretch;
  }
  return (random) => Math.min(account.tools, Math.ceil(account.draw(random) * high));
}
