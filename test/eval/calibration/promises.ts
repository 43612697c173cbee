import { decideBucket } from '@gateway/contracts';
import { randomFrom } from '@gateway/testing';
import { AccountTraffic } from './account-traffic.ts';
import { ServedAccount } from './served-account.ts';
import { chooseOracleK, effectiveRecallOf, simulateAccount } from './simulated-account.ts';

/**
 * The numbers of shadow conversations after which the evaluation measures an account, by recall target. If no
 * tool is missed, 29, 59 and 299 conversations are enough to prove a recall of 90%, 95% and 99%.
 */
const cases = [
  { target: 0.9, counts: [29, 100, 300, 1000] },
  { target: 0.95, counts: [59, 100, 300, 1000] },
  { target: 0.99, counts: [100, 299, 473, 1000] },
] as const;
/**
 * The true recovery rates of the simulated accounts. Each simulated account with recovery has one of the true
 * recovery rates, and each account without recovery has the rate 0.
 */
export const recoveryRates = [0.6, 0.8, 0.9] as const;
const perDay = 2_000;
/** The relative growth in conversations after which the worker computes a new policy. */
const growth = 0.3;

export interface PromiseFigures {
  readonly target: number;
  readonly hasRecovery: boolean;
  /** The number of measured shadow conversations. */
  readonly sessions: number;
  /** Among accounts with a measured K, the share for which true effective recall meets the recall target. */
  readonly met: number;
  readonly standardError: number;
  /**
   * The share of accounts with a measured K. `prior` is the share of accounts with the shipped priors, and
   * `off` is the share of accounts with pruning off.
   */
  readonly calibrated: number;
  readonly prior: number;
  readonly off: number;
  /**
   * The number of forwarded tools, divided by the number that an oracle would forward, summed over accounts
   * with a measured K. The oracle knows which tools all conversations need, and plans with the account's
   * measured recovery rate.
   */
  readonly kept: number | null;
  /**
   * The number of forwarded tools, divided by the number that an oracle with the true recovery rate would forward.
   */
  readonly keptKnowingRate: number | null;
  /** The mean effective recall over accounts with a measured K. */
  readonly effectiveRecall: number | null;
}

/**
 * Measures the share of accounts for which calibration reaches the recall target.
 * @param accounts number of simulated accounts per row of the table
 */
export function measurePromises(accounts: number, seed: number): PromiseFigures[] {
  return [false, true].flatMap((hasRecovery, part) =>
    cases.flatMap(({ target, counts }, row) =>
      counts.map((sessions, column) =>
        measureOne(accounts, seed + part * 100_000 + row * 1000 + column, { target, hasRecovery, sessions }),
      ),
    ),
  );
}

interface PromiseCase {
  readonly target: number;
  readonly hasRecovery: boolean;
  readonly sessions: number;
}

function measureOne(
  accounts: number,
  seed: number,
  { target, hasRecovery, sessions }: PromiseCase,
): PromiseFigures {
  const random = randomFrom(seed);
  const judged = Array.from({ length: accounts }, (_, at) => {
    const recoveryRate = hasRecovery ? (recoveryRates[at % recoveryRates.length] ?? 0) : 0;
    return judge(random, { target, hasRecovery, sessions }, recoveryRate);
  });
  const measured = judged.filter(({ state }) => state === 'calibrated');
  const shareOf = (state: string): number =>
    judged.filter((each) => each.state === state).length / judged.length;
  const sumOf = (valueOf: (each: Judgement) => number): number =>
    measured.reduce((sum, each) => sum + valueOf(each), 0);
  const met = sumOf(({ isMet }) => Number(isMet)) / Math.max(1, measured.length);
  const ratio = (part: number, whole: number): number | null => (whole === 0 ? null : part / whole);
  const kept = sumOf((each) => each.kept);
  return {
    ...{ target, hasRecovery, sessions, met },
    standardError: Math.sqrt((met * (1 - met)) / Math.max(1, measured.length)),
    calibrated: shareOf('calibrated'),
    prior: shareOf('prior'),
    off: shareOf('off'),
    kept: ratio(
      kept,
      sumOf(({ oracle }) => oracle),
    ),
    keptKnowingRate: ratio(
      kept,
      sumOf(({ oracleOfRate }) => oracleOfRate),
    ),
    effectiveRecall: ratio(
      sumOf(({ effective }) => effective),
      measured.length,
    ),
  };
}

interface Judgement {
  readonly state: string;
  readonly isMet: boolean;
  readonly effective: number;
  /** The share of the tool list that the plan forwards. */
  readonly kept: number;
  readonly oracle: number;
  readonly oracleOfRate: number;
}

/**
 * Sends an account's conversations until enough shadow conversations are measured, and then evaluates the
 * account's plan.
 */
function judge(
  random: () => number,
  { target, hasRecovery, sessions }: PromiseCase,
  recoveryRate: number,
): Judgement {
  const account = simulateAccount(random);
  const served = new ServedAccount(account, target, hasRecovery);
  const options = { recallTarget: target, hasRecovery, recoveryRate, random, perDay, every: Infinity };
  const traffic = new AccountTraffic(served, options);
  let next = 20;
  while (traffic.shadows < sessions) {
    traffic.send(account.draw(random));
    if (traffic.sent < next) continue;
    traffic.calibrate();
    next = Math.ceil(next * (1 + growth));
  }
  traffic.calibrate();
  const { plan, forwarded, isArmed } = served.serve(traffic.policy);
  const [intent = ''] = plan.bucket.split(':');
  const decision = decideBucket(traffic.policy, { intent, tools: account.tools });
  const effective = effectiveRecallOf(account, forwarded.size, isArmed ? recoveryRate : 0);
  const oracleAt = (rate: number): number => chooseOracleK(account, target, rate) / account.tools;
  return {
    state: decision.state,
    isMet: effective >= target,
    effective,
    kept: forwarded.size / account.tools,
    oracle: oracleAt(isArmed ? decision.recoveryRate : 0),
    oracleOfRate: oracleAt(isArmed ? recoveryRate : 0),
  };
}
