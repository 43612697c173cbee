import { keywordRanker } from '../../apps/tool-router/src/ranking/keyword-ranker.ts';
import type { TurnRanking } from '../../apps/tool-router/src/ranking/ranker.port.ts';
import { indexToolList } from '../../apps/tool-router/src/ranking/tool-list-index.ts';
import { itemAt, type Question, type ToolData } from '../../test/eval/tool-data.ts';

/** A way to rank, as the router does it. */
export interface Lane {
  /** Ranks tools (lines of the data) for a question's newest turn. */
  readonly rank: (question: Question, lines: readonly number[]) => Promise<TurnRanking> | TurnRanking;
}

export function openLane(name: 'keyword' | 'semantic', { cards }: ToolData): Lane {
  if (name === 'semantic') throw new Error('the semantic lane is not measured yet');
  return {
    rank: ({ userTurns }, lines) => {
      const index = indexToolList(
        '',
        lines.map((line) => itemAt(cards, line)),
      );
      return keywordRanker.rank(index, { turns: userTurns, at: userTurns.length - 1 });
    },
  };
}
