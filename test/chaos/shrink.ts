/**
 * Reduces a failing list of items to a shorter list that still fails. Implements the ddmin algorithm of Zeller and
 * Hildebrandt ("Simplifying and Isolating Failure-Inducing Input", 2002). Each step divides the list into parts. If
 * a single part or the list without a single part still fails, the next step divides that shorter list.
 * @param fails tests whether a list fails. If a failure is missed, the final list can be too long.
 * @param runsMax limits the number of test runs.
 */
export async function shrink<Item>(
  items: readonly Item[],
  fails: (items: readonly Item[]) => Promise<boolean>,
  runsMax: number,
): Promise<Item[]> {
  let kept = [...items];
  let parts = 2;
  let runs = 0;
  const tryTo = async (candidate: readonly Item[]): Promise<boolean> => {
    if (runs >= runsMax) return false;
    runs += 1;
    return fails(candidate);
  };
  while (kept.length > 1 && runs < runsMax) {
    const chunks = split(kept, Math.min(parts, kept.length));
    const subset = await findAsync(chunks, tryTo);
    if (subset) {
      kept = [...subset];
      parts = 2;
      continue;
    }
    const rests =
      chunks.length > 2 ? chunks.map((chunk) => kept.filter((item) => !chunk.includes(item))) : [];
    const rest = await findAsync(rests, tryTo);
    if (rest) {
      kept = [...rest];
      parts = Math.max(parts - 1, 2);
      continue;
    }
    if (parts >= kept.length) break;
    parts = Math.min(parts * 2, kept.length);
  }
  return kept;
}

function split<Item>(items: readonly Item[], parts: number): Item[][] {
  const edges = Array.from({ length: parts + 1 }, (_, at) => Math.round((at * items.length) / parts));
  return edges.slice(1).map((end, at) => items.slice(edges[at], end));
}

async function findAsync<Item>(
  candidates: readonly (readonly Item[])[],
  test: (candidate: readonly Item[]) => Promise<boolean>,
): Promise<readonly Item[] | undefined> {
  for (const candidate of candidates) if (await test(candidate)) return candidate;
  return undefined;
}
