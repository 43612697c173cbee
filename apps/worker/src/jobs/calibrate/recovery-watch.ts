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
/** Number of characters in a date of the form `YYYY-MM-DD`. */
export const dateLength = 10;

/**
 * Measures how often the model recovers tools. From the measurements, the class computes how a ten-point drop in
 * forwarded recall changes the probability of a recovery. The calculation assumes that recoveries are proportional to
 * conversations in which K (the number of ranked tools) was too small. Shadow conversations measure the share of
 * conversations with a missed tool, so that a change of K is not mistaken for a drop in recall.
 */
export class RecoveryWatch {
  readonly #usual: WatchedRecovery[] = [];

  addUsual(conversation: WatchedRecovery): void {
    this.#usual.push(conversation);
  }

  /**
   * @param missShareAt a function that returns the share of shadow conversations that need more than K ranked
   * tools. The function must return a share above 0.
   */
  fit(missShareAt: (k: number) => number): RecoveryLikelihood {
    let [events, missed] = [0, 0];
    for (const { k, recovered } of this.#usual) {
      events += Number(recovered > 0);
      missed += missShareAt(k);
    }
    const rate = (events + 0.5) / (missed + 0.5);
    const rise = fall * Math.min(rateMax, Math.max(rateMin, rate));
    const usualAt = (k: number): number => Math.min(0.9, rate * missShareAt(k));
    const dispersion = measureDispersion(this.#usual, usualAt);
    const ratios = new Map<number, ReturnType<typeof binaryRatio>>();
    const ratioAt = (k: number): ReturnType<typeof binaryRatio> => {
      const known = ratios.get(k);
      if (known !== undefined) return known;
      const usual = usualAt(k);
      const ratio = binaryRatio(usual, Math.min(0.99, usual + rise));
      ratios.set(k, ratio);
      return ratio;
    };
    const isKnown = this.#usual.length >= referenceMin;
    const newest = this.#usual.at(-1);
    return {
      dispersion,
      nats: isKnown && newest !== undefined ? ratioAt(newest.k).nats / dispersion : 0,
      ratioOf: ({ k, recovered }) => {
        if (!isKnown) return 0;
        const { hit, none } = ratioAt(k);
        return (recovered > 0 ? hit : none) / dispersion;
      },
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
}

/**
 * Returns the variance of the number of recoveries between blocks of conversations, divided by the variance
 * that independent conversations would have. Conversations in which an agent repeats a task are similar, and
 * need the same tools. The caller divides the evidence by the ratio, so that similar conversations do not count
 * as independent (Wedderburn, "Quasi-likelihood functions", 1974). The variance between blocks detects similar
 * conversations that follow each other. The variance between whole days also detects similar conversations that
 * run in parallel. If blocks vary significantly more than expected, the function uses the ratio's upper bound,
 * because too small a ratio would cause false alarms. For whole days, it uses the lower bound, because the
 * number of days is small.
 */
export function measureDispersion(
  conversations: readonly WatchedRecovery[],
  usualAt: (k: number) => number,
): number {
  const blocks = new Tally();
  const days = new Tally();
  let day = '';
  let count = 0;
  for (const { at, k, recovered } of conversations) {
    const isNewDay = !at.startsWith(day) || day === '';
    if (isNewDay) {
      day = at.slice(0, dateLength);
      days.close();
    }
    if (isNewDay || count >= blockMax) {
      blocks.close();
      count = 0;
    }
    count += 1;
    const usual = usualAt(k);
    blocks.add(recovered > 0, usual);
    days.add(recovered > 0, usual);
  }
  blocks.close();
  days.close();
  const ofBlocks = blocks.boundRatio('low') > 1 ? blocks.boundRatio('high') : 1;
  return Math.max(ofBlocks, days.boundRatio('low'));
}

/**
 * For each block, adds the squared difference between the count and its expected value. The class also adds the
 * variance that the count would have for independent conversations.
 */
class Tally {
  #events = 0;
  #expected = 0;
  #variance = 0;
  #squares = 0;
  #variances = 0;
  size = 0;

  add(isEvent: boolean, probability: number): void {
    this.#events += Number(isEvent);
    this.#expected += probability;
    this.#variance += probability * (1 - probability);
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
  boundRatio(side: 'low' | 'high'): number {
    if (this.size < blocksMin) return 0;
    const quantile = jstat.jStat.chisquare.inv(side === 'low' ? certainty : 1 - certainty, this.size);
    return (this.#squares / this.#variances) * (this.size / quantile);
  }
}
