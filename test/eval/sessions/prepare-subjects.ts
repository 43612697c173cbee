import { keywordPrior } from '../../../apps/tool-router/src/plan-tools/keyword-prior.ts';
import { semanticPrior } from '../../../apps/tool-router/src/plan-tools/semantic-prior.ts';
import { hashList } from '../../../apps/tool-router/src/define-tools/tool-memory.adapter.ts';
import { keywordRanker } from '../../../apps/tool-router/src/ranking/keyword-ranker.ts';
import { MemoizedRanker } from '../../../apps/tool-router/src/ranking/memoized-ranker.ts';
import { makeToolCard } from '../../../apps/tool-router/src/ranking/tool-card.ts';
import { indexToolList } from '../../../apps/tool-router/src/ranking/tool-list-index.ts';
import { makeList } from './make-list.ts';
import type { SessionData } from './load-sessions.ts';
import { draw, type ReplaySubject } from './replay-session.ts';

export interface SubjectOptions {
  /** Tools in each list. */
  readonly size: number;
  /** At most so many sessions of each source, drawn by their names. */
  readonly perSource: number;
  readonly lane: 'keyword' | 'semantic';
}

const rankingsBytesMax = 256 * 1024 * 1024;

/** Sessions with their lists, indexed. */
export function prepareSubjects(
  { sessions, tools }: SessionData,
  { size, perSource, lane }: SubjectOptions,
): ReplaySubject[] {
  if (lane === 'semantic') throw new Error('only the keyword lane can be replayed yet');
  const ranker = new MemoizedRanker(keywordRanker, rankingsBytesMax);
  const priors = { keyword: keywordPrior, semantic: semanticPrior };
  const bySource = Map.groupBy(sessions, ({ source }) => source);
  const drawn = [...bySource.values()].flatMap((each) =>
    each.toSorted((one, other) => draw(one.id) - draw(other.id)).slice(0, perSource),
  );
  return drawn.map((session) => {
    const list = makeList(session, size, tools);
    const index = indexToolList(hashList(list.tools.map(({ hash }) => hash)), list.tools.map(makeToolCard));
    return { session, list, index, ranker, priors };
  });
}
