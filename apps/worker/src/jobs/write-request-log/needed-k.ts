import { bucketOf, type ShippedRequestEventV1 } from '@gateway/contracts';

type MeasuredEvent = Pick<ShippedRequestEventV1, 'plan' | 'calledTools' | 'toolsIn'>;

/** The stored measurements of a shadow request. */
export interface StoredNeeds {
  /** Whether the plan enabled recovery. */
  readonly armed: boolean;
  /** The probability of shadow selection. Set only in the request in which the conversation was selected. */
  readonly share?: number;
  /** The called tools, each listed once. */
  readonly tools: readonly (readonly [tool: string, k: number, isPlanned: 0 | 1, ...learnedK: number[]])[];
}

/**
 * Renders a shadow request's needs for storage. Returns null for all other requests. Gateways of the previous
 * release do not report the needs. In rows from the previous release, the rank of each called tool replaces
 * the required K (number of ranked tools).
 */
export function renderNeeds(event: MeasuredEvent): StoredNeeds | null {
  const { plan, calledTools } = event;
  if (plan === null || plan.kReason !== 'shadow') return null;
  const drawn = plan.shadowShare === undefined ? {} : { share: plan.shadowShare };
  const armed = { armed: plan.isArmed ?? false, ...drawn };
  if (plan.needs !== undefined)
    return {
      ...armed,
      tools: plan.needs.map(({ tool, heldFromK, isPlanned, learnedFromK: learned }) => {
        return [tool, heldFromK, isPlanned ? 1 : 0, ...(learned === undefined ? [] : [learned])] as const;
      }),
    };
  const ranks = listNeeds(plan.candidates, plan.k);
  const tools = [...new Set(calledTools)].flatMap((tool) => {
    const k = ranks.get(tool);
    return k === undefined ? [] : [[tool, k, k <= (plan.k ?? k) ? 1 : 0] as const];
  });
  return { ...armed, tools };
}

/**
 * Returns the smallest K (number of ranked tools) that includes every offered tool that a shadow request called. If all
 * called tools are always included, the result is 1. Returns null if the request was not in shadow, or if it called none of
 * the offered tools. The K that a tool requires is its rank among the tools that are not always included. The plan's tool set
 * takes precedence over the ranks, because it also contains tools from earlier turns. A tool in the plan requires at most the
 * plan's K. A tool that the plan leaves out requires a K that is larger than the plan's K.
 */
export function findNeededK(event: MeasuredEvent): number | null {
  const { plan, calledTools, toolsIn } = event;
  if (plan === null || plan.kReason !== 'shadow' || calledTools.length === 0) return null;
  if (plan.needs !== undefined)
    return plan.needs.reduce<number | null>((most, { heldFromK }) => Math.max(most ?? 1, heldFromK), null);
  const needs = listNeeds(plan.candidates, plan.k);
  let needed: number | null = null;
  for (const name of new Set(calledTools)) {
    // The logged list of candidates may be incomplete, so a called tool may be missing from it.
    // A called tool that is missing from the list counts as missed, even if the tool was not offered.
    const need = needs.get(name) ?? (plan.candidates.length < toolsIn ? toolsIn : undefined);
    if (need !== undefined) needed = Math.max(needed ?? 1, need);
  }
  return needed;
}

type Candidates = NonNullable<ShippedRequestEventV1['plan']>['candidates'];

/**
 * Maps tool names to the K (number of ranked tools) that each tool requires. If two tools have the same name, the
 * smaller K is returned for that name.
 */
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

/** Chooses the bucket for a request if the router did not name a bucket. */
export function chooseBucket({ plan, toolsIn }: Omit<MeasuredEvent, 'calledTools'>): string | null {
  if (plan === null) return null;
  if (plan.bucket) return plan.bucket;
  return plan.intent === null ? null : bucketOf(plan.intent, toolsIn);
}
