import { newestQuestion } from '../../apps/tool-router/src/plan-tools/plan-tools.ts';
import { keywordRanker } from '../../apps/tool-router/src/ranking/keyword-ranker.ts';
import { LoopRanker } from '../../apps/tool-router/src/ranking/loop-ranker.ts';
import type {
  EncoderChoice,
  RankQuestion,
  ToolRanker,
  TurnRanking,
} from '../../apps/tool-router/src/ranking/ranker.port.ts';
import { indexToolList } from '../../apps/tool-router/src/tool-index/keyword-index.ts';
import type { SemanticPath } from './semantic-path.ts';
import { itemAt, type Question, type ToolData } from './tool-data.ts';

/** A method that ranks the candidate tools of one question. */
export type RankAsked = (question: RankQuestion) => Promise<TurnRanking>;

/**
 * Returns the router's ranking of candidate tools. The ranking method is semantic, or keyword if `semantic`
 * is undefined.
 * @param lines the candidates, as line numbers in the tools file
 */
export function openServed(
  { cards }: Pick<ToolData, 'cards'>,
  semantic: { readonly path: SemanticPath; readonly encoders: EncoderChoice } | undefined,
  dataset: string,
  lines: readonly number[],
): RankAsked {
  const index = indexToolList(
    '',
    lines.map((line) => itemAt(cards, line)),
  );
  const turnRanker: ToolRanker =
    semantic === undefined
      ? keywordRanker
      : { rank: (_, question) => semantic.path.rank(dataset, question, lines, semantic.encoders) };
  const ranker = new LoopRanker(turnRanker);
  return async (question) => ranker.rank(index, question);
}

/** Returns the question that the planner uses to rank tools for a request. */
export function askedBy(question: Question): RankQuestion {
  const asked = newestQuestion(question);
  if (asked === undefined) throw new Error('the question has no user turn');
  return asked;
}

/** Returns the conversation's first turn as a question. The first turn determines the tool set. */
export function askedFirst({ userTurns }: Question): RankQuestion {
  return { turns: userTurns.slice(0, 1), at: 0 };
}
