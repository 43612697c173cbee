import { randomFrom } from '@gateway/testing';
import { AccountTraffic } from './account-traffic.ts';
import { recoveryRates } from './promises.ts';
import { ServedAccount } from './served-account.ts';
import { simulateAccount, type SimulatedAccount } from './simulated-account.ts';

export const targets: readonly number[] = [0.9, 0.95, 0.99];
const perDay = 200;
/** The number of conversations before the fall of recall, and the maximum number after the fall. */
export const [usual, watchedMax] = [6_000, 1_500];
/**
 * The number of conversations between two calibrations during a real or suspected fall of recall. By default,
 * one in 20 conversations is a shadow conversation.
 */
const every = 20;
/** Before recall falls, the worker computes a policy each time the conversation count has grown by this share. */
const growth = 0.3;
export const quietConversations = 20_000;
/**
 * The number of conversations between two calibrations while the worker suspects no fall of recall. An alarm
 * requires evidence from several calibrations.
 */
const quietEvery = 200;
const episode = 10;

export interface FallFigures {
  readonly target: number;
  readonly recoveryRate: number;
  /** The delays until the alarm if all needed tools start to rank lower, for example after worse tool descriptions. */
  readonly stretched: Delays;
  /** The delays until the alarm if some conversations start to need a tool below rank K, for example a new tool. */
  readonly strayed: Delays;
  /** The delays until the alarm over the accounts of both groups above. */
  readonly both: Delays;
}

/**
 * The number of conversations until the worker confirms that forwarded recall fell by ten percentage points.
 * The number is null if the worker confirms no fall within `watchedMax` conversations.
 */
export interface Delays {
  readonly p50: number | null;
  readonly p90: number | null;
  /** The median number of conversations before the worker raises the share of shadow conversations. */
  readonly suspectedP50: number | null;
}

export interface QuietFigures {
  readonly target: number;
  /** The share of accounts with a false alarm within 20,000 independent conversations. */
  readonly independent: number;
  /** The share of accounts with a false alarm if each conversation occurs ten times in a row. */
  readonly episodes: number;
  readonly standardError: { readonly independent: number; readonly episodes: number };
  /**
   * The mean share of shadow conversations. Each suspected drop in recall raises
   * the share of shadow conversations.
   */
  readonly shadowShare: number;
}

export function measureFalls(measured: readonly number[], accounts: number, seed: number): FallFigures[] {
  return measured.flatMap((target) =>
    recoveryRates.map((recoveryRate, column) => {
      const random = randomFrom(seed + 7 * targets.indexOf(target) + 31 * column);
      const kinds = [stretchRanks, strayFrom].map((change) =>
        Array.from({ length: accounts }, () => watchFall(random, { target, recoveryRate, change })).filter(
          (delay) => delay !== null,
        ),
      );
      const [stretched = [], strayed = []] = kinds;
      return {
        ...{ target, recoveryRate },
        stretched: describe(stretched),
        strayed: describe(strayed),
        both: describe([...stretched, ...strayed]),
      };
    }),
  );
}

interface Delay {
  readonly seen: number;
  readonly suspected: number;
}

type Change = (account: SimulatedAccount, k: number) => (random: () => number) => readonly number[];

interface FallCase {
  readonly target: number;
  readonly recoveryRate: number;
  readonly change: Change;
}

/**
 * Measures how many conversations pass before the worker confirms a fall of recall. Returns null if the
 * account's measured K prunes no tools, or if no K was measured. Recall cannot fall without pruning.
 */
function watchFall(random: () => number, { target, recoveryRate, change }: FallCase): Delay | null {
  const account = simulateAccount(random);
  const traffic = open(account, { target, recoveryRate, random, every: Infinity });
  let next = 20;
  while (traffic.sent < usual) {
    traffic.send(account.draw(random));
    if (traffic.sent < next) continue;
    traffic.calibrate();
    next = Math.ceil(next * (1 + growth));
  }
  traffic.calibrate();
  const k = traffic.bucket?.k ?? null;
  if (k === null || k >= account.tools || (account.recallAt[k] ?? 0) < 0.1) return null;
  const draw = change(account, k);
  let suspected = Infinity;
  for (let at = 1; at <= watchedMax; at += 1) {
    traffic.send(draw(random));
    if (at % every > 0) continue;
    traffic.calibrate();
    const bucket = traffic.bucket;
    if (bucket?.reason === 'recall_fell') return { seen: at, suspected: Math.min(suspected, at) };
    if (bucket?.retest !== null) suspected = Math.min(suspected, at);
  }
  return { seen: Infinity, suspected };
}

export function measureQuiet(measured: readonly number[], accounts: number, seed: number): QuietFigures[] {
  return measured.map((target) => {
    const random = randomFrom(seed + 1_000 + targets.indexOf(target));
    const run = (length: number): QuietRun[] =>
      Array.from({ length: accounts }, (_, at) =>
        runQuiet(random, { target, recoveryRate: recoveryRates[at % recoveryRates.length] ?? 0, length }),
      );
    const [independent, episodes] = [run(1), run(episode)];
    const shareOf = (runs: readonly QuietRun[]): number =>
      runs.filter(({ isAlarmed }) => isAlarmed).length / runs.length;
    const errorOf = (share: number): number => Math.sqrt((share * (1 - share)) / accounts);
    return {
      target,
      independent: shareOf(independent),
      episodes: shareOf(episodes),
      standardError: { independent: errorOf(shareOf(independent)), episodes: errorOf(shareOf(episodes)) },
      shadowShare: independent.reduce((sum, { shadowShare }) => sum + shadowShare, 0) / accounts,
    };
  });
}

interface QuietRun {
  readonly isAlarmed: boolean;
  readonly shadowShare: number;
}

interface QuietCase {
  readonly target: number;
  readonly recoveryRate: number;
  /** The number of identical conversations in a row. */
  readonly length: number;
}

/** Sends an account's conversations, with no change in the account's true recall. */
function runQuiet(random: () => number, { target, recoveryRate, length }: QuietCase): QuietRun {
  const account = simulateAccount(random);
  const traffic = open(account, { target, recoveryRate, random, every: Infinity });
  let isAlarmed = false;
  let next = every;
  while (traffic.sent < quietConversations && !isAlarmed) {
    const ranks = account.draw(random);
    for (let at = 0; at < length; at += 1) traffic.send(ranks);
    if (traffic.sent < next) continue;
    traffic.calibrate();
    next = traffic.sent + ((traffic.bucket?.retest ?? null) === null ? quietEvery : every);
    isAlarmed = traffic.bucket?.reason === 'recall_fell';
  }
  return { isAlarmed, shadowShare: traffic.shadows / traffic.sent };
}

function open(
  account: SimulatedAccount,
  {
    target,
    recoveryRate,
    random,
    every: step,
  }: Omit<FallCase, 'change'> & { readonly random: () => number; readonly every: number },
): AccountTraffic {
  const served = new ServedAccount(account, target, true);
  return new AccountTraffic(served, {
    ...{ recallTarget: target, hasRecovery: true, recoveryRate, random, perDay, every: step },
  });
}

function describe(delays: readonly Delay[]): Delays {
  const quantile = (share: number, valueOf: (delay: Delay) => number): number | null => {
    const sorted = delays.map(valueOf).sort((one, other) => one - other);
    const value = sorted[Math.floor(share * (sorted.length - 1))] ?? Infinity;
    return Number.isFinite(value) ? value : null;
  };
  return {
    p50: quantile(0.5, ({ seen }) => seen),
    p90: quantile(0.9, ({ seen }) => seen),
    suspectedP50: quantile(0.5, ({ suspected }) => suspected),
  };
}

/**
 * Draws conversations of the given account. The tool ranks are multiplied by a factor that lowers recall at
 * `k` by ten percentage points.
 */
export function stretchRanks({ recallAt, tools, draw }: SimulatedAccount, k: number) {
  const wanted = (recallAt[k] ?? 1) - 0.1;
  let [low, high] = [1, 64];
  for (let round = 0; round < 40; round += 1) {
    const stretch = (low + high) / 2;
    const recall = recallAt[Math.floor(k / stretch)] ?? 0;
    if (recall > wanted) low = stretch;
    else high = stretch;
  }
  // Multiplied ranks have gaps between them, and the gaps would reveal the fall of recall.
  // Each new rank is therefore drawn at random from the gap below the multiplied rank.
  return (random: () => number): number[] =>
    draw(random).map((rank) => Math.max(1, Math.min(tools, Math.ceil((rank - random()) * high))));
}

/**
 * Draws conversations of the given account, with recall at `k` lowered by ten percentage points. To lower
 * recall, one needed tool moves beyond rank `k` in some conversations.
 */
export function strayFrom({ recallAt, tools, draw }: SimulatedAccount, k: number) {
  return (random: () => number): number[] => {
    const ranks = [...draw(random)];
    if (Math.max(...ranks) > k || random() >= 0.1 / (recallAt[k] ?? 1)) return ranks;
    ranks[Math.floor(random() * ranks.length)] = k + 1 + Math.floor(random() * (tools - k));
    return ranks;
  };
}
