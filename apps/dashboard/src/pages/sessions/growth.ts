/** The fields of a request that show the size of the tool set. */
interface Sized {
  readonly id: string;
  readonly tools_out: number;
}

/** Maximum number of displayed steps in which the tool set grew. */
const pointsMax = 20;

/**
 * The requests at which the tool set grew. Each returned request forwarded more tools than all earlier
 * requests.
 */
export function findGrowth<Request extends Sized>(requests: readonly Request[]): Request[] {
  let most = 0;
  const points: Request[] = [];
  for (const request of requests) {
    if (request.tools_out <= most) continue;
    most = request.tools_out;
    points.push(request);
  }
  return points.slice(0, pointsMax);
}

/** For each list of tool names, the names that no earlier list contains. */
export function listNewNames(lists: readonly (readonly string[])[]): string[][] {
  const known = new Set<string>();
  return lists.map((names) => {
    const fresh = [...new Set(names)].filter((name) => !known.has(name));
    for (const name of fresh) known.add(name);
    return fresh;
  });
}
