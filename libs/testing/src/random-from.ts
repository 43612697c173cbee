/**
 * Returns a generator of pseudo-random numbers in [0, 1). The same seed produces the same numbers on every
 * machine. The generator is mulberry32 (Tommy Ettinger,
 * https://gist.github.com/tommyettinger/46a874533244883189143505d203312c) with 32 bits of state. A state of
 * 32 bits is enough for test data, but not for secrets.
 * @param seed an integer, of which only the lowest 32 bits are used.
 */
export function randomFrom(seed: number): () => number {
  let state = seed | 0;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

/** Returns the items in a random order. The same seed always produces the same order. */
export function shuffle<Item>(items: readonly Item[], seed: number): Item[] {
  const random = randomFrom(seed);
  return items
    .map((item) => ({ item, place: random() }))
    .sort((one, other) => one.place - other.place)
    .map(({ item }) => item);
}
