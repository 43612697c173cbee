import { bucketOf, type ShippedRequestEventV1 } from '@gateway/contracts';

/**
 * The smallest K that would have held every offered tool that a shadow request called: what the request says about recall.
 * 1 where all of them go out anyway; null for a request that was not in shadow, or that called none of its tools.
 *
 * A tool's rank among the scored ones is what it needs. What the plan itself says comes first, since a session's set also
 * holds what earlier turns chose: a tool that the plan has needs no more than the plan's K, and one that it lacks needs
 * more.
 */
export function findNeededK(
  event: Pick<ShippedRequestEventV1, 'plan' | 'calledTools' | 'toolsIn'>,
): number | null {
  const { plan, calledTools, toolsIn } = event;
  if (plan === null || plan.kReason !== 'shadow' || calledTools.length === 0) return null;
  const needs = listNeeds(plan.candidates, plan.k);
  let needed: number | null = null;
  for (const name of new Set(calledTools)) {
    // Beyond the candidates that are logged: whether it was offered at all is not known, so it counts as missed.
    const need = needs.get(name) ?? (plan.candidates.length < toolsIn ? toolsIn : undefined);
    if (need !== undefined) needed = Math.max(needed ?? 1, need);
  }
  return needed;
}

type Candidates = NonNullable<ShippedRequestEventV1['plan']>['candidates'];

/** By name, what each candidate needs. Of two with one name, the better. */
function listNeeds(candidates: Candidates, k: number | null): Map<string, number> {
  const needs = new Map<string, number>();
  let scoredRank = 0;
  for (const [name, , , forwarded, alwaysIn] of candidates) {
    if (alwaysIn === undefined) scoredRank += 1;
    const need =
      alwaysIn !== undefined
        ? 1
        : forwarded === 1
          ? Math.min(scoredRank, k ?? scoredRank)
          : Math.max(scoredRank, (k ?? 0) + 1);
    needs.set(name, Math.min(need, needs.get(name) ?? need));
  }
  return needs;
}

/** The bucket of a request whose router did not name one. */
export function chooseBucket({
  plan,
  toolsIn,
}: Pick<ShippedRequestEventV1, 'plan' | 'toolsIn'>): string | null {
  if (plan === null) return null;
  if (plan.bucket) return plan.bucket;
  return plan.intent === null ? null : bucketOf(plan.intent, toolsIn);
}
