import type { TurnRanking } from '../ranking/ranker.port.ts';

/** A user turn as far as it decides about tools. */
export interface RankedTurn {
  readonly ranking: TurnRanking;
  /** Positions of tools that the turn names. */
  readonly mentioned: readonly number[];
  /** Whether it only carries on what was begun: "yes, do it". */
  readonly carriesOn: boolean;
}
