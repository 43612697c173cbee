import { isNamed } from '../../apps/tool-router/src/ranking/keyword-ranker.ts';
import { probabilitiesOf } from '../../apps/tool-router/src/ranking/probabilities.ts';
import type { TurnRanking } from '../../apps/tool-router/src/ranking/ranker.port.ts';
import { indexToolList } from '../../apps/tool-router/src/ranking/tool-list-index.ts';
import { makeTurnQuery } from '../../apps/tool-router/src/ranking/turn-query.ts';
import type { SemanticPath } from './semantic-path.ts';
import { itemAt, type Question, type ToolData } from './tool-data.ts';

/** A question's ranking as the router's semantic lane makes it, by models that have not seen the question's set. */
export async function rankSemantically(
  path: SemanticPath,
  { cards }: Pick<ToolData, 'cards'>,
  question: Question,
  lines: readonly number[],
): Promise<TurnRanking> {
  const { scores: logits, order } = await path.rank(question, lines);
  const scores = probabilitiesOf(logits);
  const top = order[0] ?? 0;
  const topScore = scores[top] ?? 0;
  const index = indexToolList(
    '',
    lines.map((line) => itemAt(cards, line)),
  );
  const { userTurns } = question;
  return {
    scores,
    order,
    topScore,
    namesTop: isNamed(index, top, makeTurnQuery(userTurns, userTurns.length - 1)),
    confidence: topScore,
    method: 'semantic',
    laneReason: 'semantic',
    rankedBy: 'semantic.held-out',
  };
}
