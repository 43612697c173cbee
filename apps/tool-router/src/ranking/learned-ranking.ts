import { openHead, readHeadFeatures } from '@gateway/contracts';
import type { AccountHead, HeadTables, RoutingPolicy } from '@gateway/contracts';
import { orderByScore } from '../tool-index/keyword-scores.ts';
import type { KeywordIndex } from '../tool-index/keyword-index.ts';
import { probabilitiesOf } from './describe-ranking.ts';
import type { TurnRanking } from './ranker.port.ts';

/**
 * Ends `rankedBy` of a ranking by an account head. The routing policy's version in `policyVersion` names the head.
 */
const byHead = '+head';

/** Whether an account head made a ranking, from its `rankedBy` or from the policy version of a plan. */
export function isLearned(rankedBy: string): boolean {
  return rankedBy.split('/')[0]?.endsWith(byHead) === true;
}

/**
 * Minimum share of a head's tools that another tool list must contain. A changed tool list uses the head of the
 * previous list until the worker trains a head for the new list.
 */
const sharedMin = 0.5;

/** The head of a routing policy for a tool list. Undefined if no head fits the tool list. */
export function findHead(
  policy: RoutingPolicy | null,
  { listHash, positionsByName }: Pick<KeywordIndex, 'listHash' | 'positionsByName'>,
): AccountHead | undefined {
  const { heads = [] } = policy ?? {};
  const own = heads.find(({ list }) => listHash.startsWith(list));
  if (own !== undefined) return own;
  const shared = heads.map(({ tools }) => tools.filter((name) => positionsByName.has(name)).length);
  const best = shared.indexOf(Math.max(...shared));
  const head = heads[best];
  return head !== undefined && (shared[best] ?? 0) >= sharedMin * head.tools.length ? head : undefined;
}

const tablesOf = new WeakMap<AccountHead, HeadTables>();

function open(head: AccountHead): HeadTables {
  const tables = tablesOf.get(head) ?? openHead(head);
  tablesOf.set(head, tables);
  return tables;
}

/** The parts of a ranking that an account head changes. */
type Ranked = Pick<TurnRanking, 'order' | 'scores' | 'method' | 'rankedBy'>;

/**
 * Ranks a tool list again with an account head. The evidence and the confidence of the ranking stay the same. A
 * keyword ranking has no probabilities, so it stays unchanged.
 * @param called names of the tools that the transcript called before the turn
 */
export function learnRanking<Ranking extends Ranked>(
  index: KeywordIndex,
  ranking: Ranking,
  head: AccountHead,
  called: readonly string[],
): Ranking {
  if (ranking.method !== 'semantic') return ranking;
  return applyHead(index, ranking, head, readFeatures(index, ranking, head, called));
}

function applyHead<Ranking extends Ranked>(
  index: KeywordIndex,
  ranking: Ranking,
  { weights }: AccountHead,
  features: readonly (readonly number[])[],
): Ranking {
  const logits = new Float64Array(features.length);
  for (const [at, row] of features.entries())
    logits[ranking.order[at] ?? 0] = row.reduce((sum, value, i) => sum + value * (weights[i] ?? 0), 0);
  const scores = probabilitiesOf(logits);
  return { ...ranking, scores, order: orderByScore(index, scores), rankedBy: `${ranking.rankedBy}${byHead}` };
}

/** The features of the tools, best tool first. */
function readFeatures(
  { names }: KeywordIndex,
  { scores, order }: Ranked,
  head: AccountHead,
  called: readonly string[],
): number[][] {
  return readHeadFeatures(open(head), {
    names: Array.from(order, (position) => names[position] ?? ''),
    scores: Array.from(order, (position) => round(scores[position] ?? 0)),
    called,
  });
}

/** Number of best tools whose learned score is explained. */
const explainedMax = 20;

/**
 * Ranks a tool list with an account head. `unlearned` contains each tool's score and rank without the account head.
 * For the best learned tools, `unlearned` also contains the points that each feature adds to the learned score.
 */
export function explainLearned(
  index: KeywordIndex,
  ranking: Ranked,
  head: AccountHead,
  called: readonly string[],
) {
  const unlearned = new Map<number, [score: number, rank: number, ...shares: number[]]>();
  if (ranking.method !== 'semantic') return { ranking, unlearned };
  const features = readFeatures(index, ranking, head, called);
  const learned = applyHead(index, ranking, head, features);
  const means = head.weights.map(
    (_, i) => features.reduce((sum, row) => sum + (row[i] ?? 0), 0) / features.length,
  );
  const explained = new Set(learned.order.subarray(0, explainedMax));
  for (const [at, position] of ranking.order.entries()) {
    const row = explained.has(position) ? (features[at] ?? []) : [];
    const shares = row.map((value, i) => round((value - (means[i] ?? 0)) * (head.weights[i] ?? 0)));
    unlearned.set(position, [round(ranking.scores[position] ?? 0), at + 1, ...shares]);
  }
  return { ranking: learned, unlearned };
}

function round(value: number): number {
  return Math.round(value * 1000) / 1000;
}
