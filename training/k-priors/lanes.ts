import type { TurnRanking } from '../../apps/tool-router/src/ranking/ranker.port.ts';
import { SemanticPath } from '../../test/eval/semantic-path.ts';
import { askedBy, openServed } from '../../test/eval/served-ranking.ts';
import type { Question, ToolData } from '../../test/eval/tool-data.ts';

export const laneNames = ['keyword', 'semantic', 'both'] as const;
export type LaneName = (typeof laneNames)[number];

/** A ranking method, applied as in the tool router. */
export interface Lane {
  /** Ranks tools (given by their line numbers in the data) for a question's newest turn. */
  readonly rank: (question: Question, lines: readonly number[]) => Promise<TurnRanking>;
}

/**
 * Loads a ranking method. The semantic method ranks each tool set with models that were not trained on the
 * tool set's family. `both` is the semantic method with both encoders.
 */
export function openLane(name: LaneName, data: ToolData): Lane {
  const encoders = name === 'both' ? 'both' : 'first';
  const semantic = name === 'keyword' ? undefined : ({ path: new SemanticPath(data), encoders } as const);
  return {
    rank: (question, lines) => openServed(data, semantic, question.dataset, lines)(askedBy(question)),
  };
}
