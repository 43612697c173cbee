/** The fields by which candidate tools can be filtered and sorted. */
interface Ranked {
  readonly name: string;
  readonly score: number;
  readonly rank: number;
  readonly forwarded: boolean;
  readonly called: boolean;
}

export const shownCandidates = ['all', 'forwarded', 'pruned', 'called'] as const;
export type Shown = (typeof shownCandidates)[number];

interface Choice {
  readonly shown: Shown;
  /** Text that the tool's name must contain, regardless of case. */
  readonly search: string;
  readonly sorting: { readonly key: string; readonly isDescending: boolean };
}

/** Filters and sorts the candidate tools of a request. */
export function chooseCandidates<Candidate extends Ranked>(
  candidates: readonly Candidate[],
  { shown, search, sorting }: Choice,
): Candidate[] {
  const wanted = search.trim().toLowerCase();
  const compare = comparisons[sorting.key] ?? comparisons['rank'];
  const sign = sorting.isDescending ? -1 : 1;
  return candidates
    .filter((candidate) => isShown(candidate, shown) && candidate.name.toLowerCase().includes(wanted))
    .sort((one, other) => sign * (compare?.(one, other) ?? 0));
}

function isShown({ forwarded, called }: Ranked, shown: Shown): boolean {
  switch (shown) {
    case 'all':
      return true;
    case 'forwarded':
      return forwarded;
    case 'pruned':
      return !forwarded;
    case 'called':
      return called;
  }
}

const comparisons: Readonly<Record<string, (one: Ranked, other: Ranked) => number>> = {
  rank: (one, other) => one.rank - other.rank,
  score: (one, other) => one.score - other.score,
  name: (one, other) => (one.name < other.name ? -1 : one.name > other.name ? 1 : 0),
};
