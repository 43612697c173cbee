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
  readonly targets: readonly KPolicyTarget[];
}

export interface KPolicyTarget {
  readonly recallTarget: number;
  /** For turns that have every word of the best tool's name. */
  readonly named: readonly KPolicyStep[];
  /** For the other turns. */
  readonly unnamed: readonly KPolicyStep[];
}

/**
 * A turn whose best tool scores at least `topScoreMin` keeps every tool with at least `keptShareOfTop` of that score.
 * Steps are ascending; below the first one the list goes out whole.
 */
export type KPolicyStep = readonly [topScoreMin: number, keptShareOfTop: number];

export interface KPolicyQuestion {
  readonly tools: number;
  readonly recallTarget: number;
  readonly topScore: number;
  readonly namesTop: boolean;
}

/**
 * The least score a tool must have to go out, for a list of `tools` tools and a turn whose best tool scores
 * `topScore`; undefined when the turn tells too little to leave anything out at this recall target.
 */
export function chooseScoreMin(
  policy: KPolicy,
  { tools, recallTarget, topScore, namesTop }: KPolicyQuestion,
): number | undefined {
  const band = policy.bands.find(({ toolsMax }) => tools <= toolsMax);
  // A target between two measured ones is held by the stricter; above them all, by none.
  const target = band?.targets.find((measured) => measured.recallTarget >= recallTarget);
  const step = (namesTop ? target?.named : target?.unnamed)?.findLast(
    ([topScoreMin]) => topScore >= topScoreMin,
  );
  return step === undefined ? undefined : step[1] * topScore;
}
