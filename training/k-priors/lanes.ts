import { keywordRanker } from '../../apps/tool-router/src/ranking/keyword-ranker.ts';
import type { TurnRanking } from '../../apps/tool-router/src/ranking/ranker.port.ts';
import { indexToolList } from '../../apps/tool-router/src/tool-index/keyword-index.ts';
import { SemanticPath } from '../../test/eval/semantic-path.ts';
import { rankSemantically } from '../../test/eval/semantic-ranking.ts';
import { itemAt, type Question, type ToolData } from '../../test/eval/tool-data.ts';

/** A ranking method, as the router applies it. */
export interface Lane {
  /** Ranks tools (by line number in the data) for the newest turn in a question. */
  readonly rank: (question: Question, lines: readonly number[]) => Promise<TurnRanking> | TurnRanking;
}

/** The semantic method ranks each set with models that were not trained on its family. */
export function openLane(name: 'keyword' | 'semantic', data: ToolData): Lane {
  if (name === 'semantic') {
    const path = new SemanticPath(data);
    return { rank: (question, lines) => rankSemantically(path, data, question, lines) };
  }
  return {
    rank: ({ userTurns }, lines) => {
      const index = indexToolList(
        '',
        lines.map((line) => itemAt(data.cards, line)),
      );
      return keywordRanker.rank(index, { turns: userTurns, at: userTurns.length - 1 });
    },
  };
}
