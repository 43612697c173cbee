/** What of a request tells how a session's set of tools grew. */
interface Sized {
  readonly id: string;
  readonly tools_out: number;
}

/** Requests at which a set grew, that are looked into at most. */
const pointsMax = 20;

/** The first request with tools, and those that forwarded more than any before: at these the set grew. */
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

/** Names that each list has and none before it had. */
export function listNewNames(lists: readonly (readonly string[])[]): string[][] {
  const known = new Set<string>();
  return lists.map((names) => {
    const fresh = [...new Set(names)].filter((name) => !known.has(name));
    for (const name of fresh) known.add(name);
    return fresh;
  });
}
