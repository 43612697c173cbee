import type { TurnRanking } from '../../apps/tool-router/src/ranking/ranker.port.ts';
import { SemanticPath } from '../../test/eval/semantic-path.ts';
import { askedBy, openServed } from '../../test/eval/served-ranking.ts';
import type { Question, ToolData } from '../../test/eval/tool-data.ts';

/** A ranking method, applied as in the tool router. */
export interface Lane {
  /** Ranks tools (given by line number in the data) for the newest turn of a question. */
  readonly rank: (question: Question, lines: readonly number[]) => Promise<TurnRanking>;
}

/**
 * Opens a ranking method. The semantic method ranks each tool set with models that were not trained on the
 * family of the tool set.
 */
export function openLane(name: 'keyword' | 'semantic', data: ToolData): Lane {
  const path = name === 'semantic' ? new SemanticPath(data) : undefined;
  return {
    rank: (question, lines) => openServed(data, path, question.dataset, lines)(askedBy(question)),
  };
}
