// What a session's set holds by its last user turn, on the public dialogues with 100 candidates:
// `node training/k-priors/measure-sessions.ts [--data DIR]`. Calls made on the way are not counted in, so the figures are low.
import { parseArgs } from 'node:util';
import { keywordPriors } from '../../apps/tool-router/src/plan-tools/keyword-priors.ts';
import { chooseSessionSet } from '../../apps/tool-router/src/plan-tools/session-set.ts';
import { keywordRanker } from '../../apps/tool-router/src/ranking/keyword-ranker.ts';
import { indexToolList } from '../../apps/tool-router/src/ranking/tool-list-index.ts';
import { itemAt, loadToolData, type Question } from '../../test/eval/tool-data.ts';

const { values } = parseArgs({ options: { data: { type: 'string', default: '../shared/data/tools' } } });
const data = loadToolData(values.data);

for (const dataset of ['apibank', 'bfcl_multi_turn']) {
  for (const recallTarget of [0.8, 0.9, 0.95]) {
    const sessions = data.questions.filter((each) => each.dataset === dataset && each.userTurns.length > 1);
    const outcomes = sessions.map((session) => measureSession(session, recallTarget));
    const mean = (key: keyof ReturnType<typeof measureSession>): string =>
      (outcomes.reduce((sum, outcome) => sum + outcome[key], 0) / outcomes.length).toFixed(3);
    console.log(
      `${dataset} ${sessions.length}, target ${recallTarget}: recall ${mean('recall')}, kept ${mean('kept')}, growths a later turn ${mean('growths')}`,
    );
  }
}

function measureSession({ userTurns, pools, golds }: Question, recallTarget: number) {
  const lines = pools[100] ?? [];
  const index = indexToolList(
    '',
    lines.map((line) => itemAt(data.cards, line)),
  );
  const turns = userTurns.map((_, at) => ({
    ranking: keywordRanker.rank(index, { turns: userTurns, at }),
    mentioned: [],
  }));
  const options = { policy: keywordPriors, recallTarget, kOverride: null, pinned: new Set<number>() };
  const sets = turns.map((_, at) => chooseSessionSet(index, turns.slice(0, at + 1), options));
  const positions = sets.at(-1)?.positions;
  const isIn = (line: number): boolean =>
    lines.includes(line) && (positions?.has(lines.indexOf(line)) ?? true);
  return {
    recall: golds.filter((alternatives) => alternatives.some(isIn)).length / golds.length,
    kept: (positions?.size ?? lines.length) / lines.length,
    growths: sets.filter(({ grown }) => grown).length / (sets.length - 1),
  };
}
