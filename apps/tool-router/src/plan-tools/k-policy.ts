/** How far down the ranking the forwarded set reaches, as measured on public sets before an account has figures of its own. */
export interface KPolicy {
  readonly version: string;
  /** Lists of at most this many scored tools go out whole. */
  readonly shortListMax: number;
  /** However sure, at least so many of the scored tools go out. */
  readonly kMin: number;
  readonly bands: readonly KPolicyBand[];
}

export interface KPolicyBand {
  /** The band holds lists of at most this many tools. Bands are ascending. */
  readonly toolsMax: number;
  /** Ascending by recall target. */
  readonly targets: readonly { readonly recallTarget: number; readonly steps: readonly KPolicyStep[] }[];
}

/**
 * A turn whose best tool scores at least `topScoreMin` keeps every tool with at least `keptShareOfTop` of that score.
 * Steps are ascending; below the first one the list goes out whole.
 */
export type KPolicyStep = readonly [topScoreMin: number, keptShareOfTop: number];

/**
 * The least score a tool must have to go out, for a list of `tools` tools and a turn whose best tool scores
 * `topScore`; undefined when the turn tells too little to leave anything out at this recall target.
 */
export function chooseScoreMin(
  policy: KPolicy,
  { tools, recallTarget, topScore }: { tools: number; recallTarget: number; topScore: number },
): number | undefined {
  const band = policy.bands.find(({ toolsMax }) => tools <= toolsMax);
  // A target between two measured ones is held by the stricter; above them all, by none.
  const target = band?.targets.find((measured) => measured.recallTarget >= recallTarget);
  const step = target?.steps.findLast(([topScoreMin]) => topScore >= topScoreMin);
  return step === undefined ? undefined : step[1] * topScore;
}
