/** Ranks of sessions that are taken for usual: what others are held against. */
export class RankReference {
  readonly sessions: (readonly number[])[] = [];
  /** Of all sessions, ascending. */
  readonly #ranks: number[] = [];

  add(ranks: readonly number[]): void {
    this.sessions.push(ranks);
    for (const rank of ranks) this.#ranks.splice(this.#countBelow(rank), 0, rank);
  }

  /**
   * How deep a rank is: minus the logarithm of the share of the usual ranks that are as deep or deeper, ties by half. Of
   * the usual ranks themselves it is distributed as a waiting time is, with mean 1, whatever their own distribution.
   */
  depthOf(rank: number): number {
    const total = this.#ranks.length;
    const atLeast = total - this.#countBelow(rank);
    return -Math.log((atLeast + this.#countBeyond(rank) + 1) / (2 * total + 2));
  }

  /** The depth from which on ranks are beyond `k`. */
  depthBeyond(k: number): number {
    return -Math.log((this.#countBeyond(k) + 0.5) / (this.#ranks.length + 1));
  }

  #countBeyond(rank: number): number {
    return this.#ranks.length - this.#countBelow(rank + 0.5);
  }

  #countBelow(rank: number): number {
    let [low, high] = [0, this.#ranks.length];
    while (low < high) {
      const middle = (low + high) >> 1;
      if ((this.#ranks[middle] ?? Infinity) < rank) low = middle + 1;
      else high = middle;
    }
    return low;
  }
}
