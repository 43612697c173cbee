import { describeLogits } from '../../apps/tool-router/src/ranking/describe-ranking.ts';
import type { TurnRanking } from '../../apps/tool-router/src/ranking/ranker.port.ts';
import { indexToolList } from '../../apps/tool-router/src/tool-index/keyword-index.ts';
import { makeTurnQuery } from '../../apps/tool-router/src/tool-index/keyword-scores.ts';
import type { SemanticPath } from './semantic-path.ts';
import { itemAt, type Question, type ToolData } from './tool-data.ts';

/**
 * The ranking for a question with the router's semantic method, by models that have not seen the question's
 * set.
 */
export async function rankSemantically(
  path: SemanticPath,
  { cards }: Pick<ToolData, 'cards'>,
  question: Question,
  lines: readonly number[],
): Promise<TurnRanking> {
  const { scores: logits } = await path.rank(question, lines);
  const index = indexToolList(
    '',
    lines.map((line) => itemAt(cards, line)),
  );
  const { userTurns } = question;
  const query = makeTurnQuery(userTurns, userTurns.length - 1);
  return describeLogits(index, query, logits, 'semantic.held-out');
}
