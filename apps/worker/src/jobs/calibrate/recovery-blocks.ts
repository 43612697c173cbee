import jstat from 'jstat';

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
 * Maximum number of consecutive conversations that may be similar. A block of conversations ends at this
 * maximum, or at the end of the day (UTC).
 */
export const blockMax = 40;
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

/** The numbers of conversations, and of conversations with a recovery, for each K. */
export type KTallies = Map<number, { conversations: number; recoveries: number }>;

/** Adds a conversation to the tallies of its K. */
export function tally(tallies: KTallies, { k, recovered }: WatchedRecovery): void {
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
