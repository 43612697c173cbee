import { binaryRatio, fall } from './recall-watch.ts';
import { RecoveryBlocks, tally, type KTallies, type WatchedRecovery } from './recovery-blocks.ts';

/**
 * Minimum number of served conversations in the reference. With fewer conversations, frequent recoveries do
 * not prove a drop in recall.
 */
const referenceMin = 200;
/** Limits on the recovery rate in the calculation of how recoveries increase after a drop in recall. */
const [rateMin, rateMax] = [0.3, 1];
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
