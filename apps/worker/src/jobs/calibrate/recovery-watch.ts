import jstat from 'jstat';
import { binaryRatio, fall } from './recall-watch.ts';

/** A conversation that was served with pruned tools. */
export interface WatchedRecovery {
  /** Time of the conversation's first request, as RFC 3339. */
  readonly at: string;
  /** Number of ranked tools that were forwarded. */
  readonly k: number;
  /** Number of pruned tools that the model recovered and called. */
  readonly recovered: number;
}

/**
 * Minimum number of served conversations in the reference. With fewer conversations, frequent recoveries do
 * not prove a drop in recall.
 */
const referenceMin = 200;
/**
 * Maximum number of consecutive conversations that may be similar. A block of conversations ends at this
 * maximum, or at the end of the day (UTC).
 */
export const blockMax = 40;
/** Limits on the recovery rate in the calculation of how recoveries increase after a drop in recall. */
const [rateMin, rateMax] = [0.3, 1];
/**
 * Minimum number of blocks of conversations, and minimum number of days. With fewer blocks or days, the
 * estimated variance is meaningless.
 */
const blocksMin = 3;
/** Confidence level of the bounds for a variance ratio. */
const certainty = 0.95;
/**
 * Confidence level at which blocks of conversations must vary more than expected. A false correction removes a third
 * of the evidence, so the level is higher than `certainty`. Repeated tasks exceed even the higher level clearly.
 */
const similarityCertainty = 0.99;
/** Number of characters in a date of the form `YYYY-MM-DD`. */
export const dateLength = 10;

/**
 * Measures how often the model recovers tools. From the measurements, the class computes how a ten-point drop in
 * forwarded recall changes the probability of a recovery. The calculation assumes that recoveries are proportional to
 * conversations in which K (the number of ranked tools) was too small. Shadow conversations measure the share of
 * conversations with a missed tool, so that a change of K is not mistaken for a drop in recall.
 */
export class RecoveryWatch {
  readonly #blocks = new RecoveryBlocks();
  readonly #counts: KTallies = new Map();
  #size = 0;
  #newestK = 0;

  addUsual(conversation: WatchedRecovery): void {
    this.#blocks.add(conversation);
    tally(this.#counts, conversation);
    this.#size += 1;
    this.#newestK = conversation.k;
  }

  /**
   * @param missShareAt a function that returns the share of shadow conversations that need more than K ranked
   * tools. The function must return a share above 0.
   * @param samples the number of shadow conversations from which the shares were estimated
   */
  fit(missShareAt: (k: number) => number, samples: number): RecoveryLikelihood {
    let [events, expected] = [0, 0];
    const counts = [...this.#counts].map(([k, { conversations, recoveries }]): KCount => {
      const missed = conversations * missShareAt(k);
      events += recoveries;
      expected += missed;
      return [k, { recoveries, missed }];
    });
    const rate = (events + 0.5) / (expected + 0.5);
    const rise = fall * Math.min(rateMax, Math.max(rateMin, rate));
    const recoveries = new UsualRecoveries(counts, missShareAt, samples);
    const usualAt = (k: number): number => recoveries.at(k).usual;
    const dispersion = this.#blocks.measureDispersion(usualAt);
    const ratios = new Map<number, ReturnType<typeof binaryRatio>>();
    const ratioAt = (k: number): ReturnType<typeof binaryRatio> => {
      const known = ratios.get(k);
      if (known !== undefined) return known;
      const usual = usualAt(k);
      const ratio = binaryRatio(usual, Math.min(0.99, usual + rise));
      ratios.set(k, ratio);
      return ratio;
    };
    const isKnown = this.#size >= referenceMin;
    return {
      dispersion,
      nats: isKnown ? ratioAt(this.#newestK).nats / dispersion : 0,
      ratioOf: ({ k, recovered }) => {
        if (!isKnown) return 0;
        const { hit, none } = ratioAt(k);
        return (recovered > 0 ? hit : none) / dispersion;
      },
      sizeAt: (k) => recoveries.at(k).size,
    };
  }
}

export interface RecoveryLikelihood {
  /**
   * The average number of similar conversations that count as one independent conversation. The dispersion is the
   * variance between blocks of conversations divided by the binomial variance, and is at least 1.
   */
  readonly dispersion: number;
  /**
   * The information (in nats) per conversation after the drop in recall. Zero while the reference is too
   * small.
   */
  readonly nats: number;
  readonly ratioOf: (conversation: WatchedRecovery) => number;
  /**
   * The number of conversations with exactly K ranked tools that would measure the usual probability of a recovery as
   * precisely. The number is small for a K that only few reference conversations have.
   */
  readonly sizeAt: (k: number) => number;
}

interface UsualRecovery {
  /** The usual probability of a recovery, at most 0.9. */
  readonly usual: number;
  /** See `RecoveryLikelihood.sizeAt`. */
  readonly size: number;
}

/** Recoveries in conversations with one K, or the recoveries that count for a K. */
interface Count {
  readonly recoveries: number;
  /** The expected number of conversations with a missed tool. */
  readonly missed: number;
}

type KCount = readonly [k: number, count: Count];

/**
 * Estimates the usual probability of a recovery at each K. Shadow conversations predict how the probability changes
 * with K, but only with a sampling error. Conversations with another K therefore count less, the more their predicted
 * share of misses differs. The relative error of a share m of n shadow conversations has the variance (1/m − 1) / n,
 * and its changes between consecutive values of K are uncorrelated. A count with e recoveries has the relative
 * variance 1/e, so a step with variance v divides the count by 1 + e·v (power discounting, West & Harrison, "Bayesian
 * Forecasting and Dynamic Models", 1997, chapter 10).
 */
class UsualRecoveries {
  readonly #counts: readonly KCount[];
  readonly #missShareAt: (k: number) => number;
  readonly #samples: number;
  readonly #known = new Map<number, UsualRecovery>();

  constructor(counts: readonly KCount[], missShareAt: (k: number) => number, samples: number) {
    this.#counts = counts.toSorted(([one], [other]) => one - other);
    this.#missShareAt = missShareAt;
    this.#samples = samples;
  }

  at(k: number): UsualRecovery {
    const known = this.#known.get(k);
    if (known !== undefined) return known;
    const below = this.#gather(
      this.#counts.filter(([other]) => other <= k),
      k,
    );
    const above = this.#gather(this.#counts.filter(([other]) => other > k).reverse(), k);
    const recoveries = below.recoveries + above.recoveries + 0.5;
    const rate = recoveries / (below.missed + above.missed + 0.5);
    const usual = Math.min(0.9, rate * this.#missShareAt(k));
    const found = { usual, size: recoveries / usual };
    this.#known.set(k, found);
    return found;
  }

  /** Adds counts in the order of their distance from `k`, the farthest first. */
  #gather(counts: readonly KCount[], k: number): Count {
    let gathered: Count = { recoveries: 0, missed: 0 };
    for (const [place, [other, count]] of counts.entries()) {
      const recoveries = gathered.recoveries + count.recoveries;
      const missed = gathered.missed + count.missed;
      const next = counts[place + 1]?.[0] ?? k;
      const variance = Math.abs(1 / this.#missShareAt(next) - 1 / this.#missShareAt(other)) / this.#samples;
      const kept = 1 / (1 + recoveries * variance);
      gathered = { recoveries: recoveries * kept, missed: missed * kept };
    }
    return gathered;
  }
}

/** The numbers of conversations, and of conversations with a recovery, for each K. */
type KTallies = Map<number, { conversations: number; recoveries: number }>;

function tally(tallies: KTallies, { k, recovered }: WatchedRecovery): void {
  const own = tallies.get(k) ?? { conversations: 0, recoveries: 0 };
  own.conversations += 1;
  own.recoveries += Number(recovered > 0);
  tallies.set(k, own);
}

/**
 * Blocks of consecutive conversations, from oldest to newest. Conversations in which an agent repeats a task are
 * similar, and need the same tools.
 */
export class RecoveryBlocks {
  readonly #blocks: { readonly day: string; readonly tallies: KTallies }[] = [];
  #count = 0;

  add(conversation: WatchedRecovery): void {
    const day = conversation.at.slice(0, dateLength);
    let block = this.#blocks.at(-1);
    if (block?.day !== day || this.#count >= blockMax) {
      block = { day, tallies: new Map() };
      this.#blocks.push(block);
      this.#count = 0;
    }
    this.#count += 1;
    tally(block.tallies, conversation);
  }

  /**
   * Returns the variance of the number of recoveries between blocks of conversations, divided by the variance that
   * independent conversations would have. The caller divides the evidence by the ratio, so that similar conversations
   * do not count as independent (Wedderburn, "Quasi-likelihood functions", 1974). The variance between blocks detects
   * similar conversations that follow each other. The variance between whole days also detects similar conversations
   * that run in parallel. If blocks vary significantly more than expected, the function uses the ratio's upper bound,
   * because too small a ratio would cause false alarms. For whole days, it uses the lower bound, because the number of
   * days is small.
   * @param usualAt the usual probability of a recovery for each K
   */
  measureDispersion(usualAt: (k: number) => number): number {
    const blocks = new Variance();
    const days = new Variance();
    for (const [place, { day, tallies }] of this.#blocks.entries()) {
      for (const [k, { conversations, recoveries }] of tallies)
        for (const each of [blocks, days]) each.add(recoveries, conversations, usualAt(k));
      blocks.close();
      if (this.#blocks[place + 1]?.day !== day) days.close();
    }
    const ofBlocks = blocks.boundRatio('low', similarityCertainty) > 1 ? blocks.boundRatio('high') : 1;
    return Math.max(ofBlocks, days.boundRatio('low'));
  }
}

/**
 * For each block, adds the squared difference between the count and its expected value. The class also adds the
 * variance that the count would have for independent conversations.
 */
class Variance {
  #events = 0;
  #expected = 0;
  #variance = 0;
  #squares = 0;
  #variances = 0;
  size = 0;

  add(events: number, conversations: number, probability: number): void {
    this.#events += events;
    this.#expected += conversations * probability;
    this.#variance += conversations * probability * (1 - probability);
  }

  close(): void {
    if (this.#variance === 0) return;
    this.#squares += (this.#events - this.#expected) ** 2;
    this.#variances += this.#variance;
    this.size += 1;
    [this.#events, this.#expected, this.#variance] = [0, 0, 0];
  }

  /**
   * A confidence bound for the ratio of the measured variance to the variance of independent conversations.
   * The bound is 0 if there are too few blocks.
   */
  boundRatio(side: 'low' | 'high', level = certainty): number {
    if (this.size < blocksMin) return 0;
    const quantile = jstat.jStat.chisquare.inv(side === 'low' ? level : 1 - level, this.size);
    return (this.#squares / this.#variances) * (this.size / quantile);
  }
}
