import { hashToolList } from '@gateway/contracts';
import type { ToolDefinition } from '@gateway/contracts';
import type { ToolRanker } from '../../../apps/tool-router/src/ranking/ranker.port.ts';
import { recallPriors } from '../../../apps/tool-router/src/policy/recall-prior.ts';
import { keywordRanker } from '../../../apps/tool-router/src/ranking/keyword-ranker.ts';
import { MemoizedRanker } from '../../../apps/tool-router/src/ranking/memoized-ranker.ts';
import { makeToolCard } from '../../../apps/tool-router/src/tool-index/tool-card.ts';
import { indexToolList, type KeywordIndex } from '../../../apps/tool-router/src/tool-index/keyword-index.ts';
import { SemanticPath } from '../semantic-path.ts';
import type { EvalList, EvalSession } from './eval-session.ts';
import { makeList } from './make-list.ts';
import type { SessionData } from './load-sessions.ts';
import type { ReplaySubject } from './replay.ts';
import { draw } from './replay-session.ts';

export interface SubjectOptions {
  /** The number of tools in each tool list. */
  readonly size: number;
  /** The maximum number of sessions from each source. A hash of each session's name decides the selection. */
  readonly perSource: number;
  /** The number of sessions of each source, in the same order, that are left out. The default is 0. */
  readonly skip?: number;
  /** `semantic` ranks tools with both encoders, and `first` with the first encoder. */
  readonly lane: 'keyword' | 'semantic' | 'first';
  /** With `shuffled`, each tool gets the length of another tool in the list. */
  readonly lengths?: 'own' | 'shuffled';
  /** Whether all sessions of a source have the same tool list, with the tools of all these sessions. */
  readonly isFixed?: boolean;
}

/** The maximum memory in bytes for one session's cached rankings. */
const rankingsBytesMax = 4 * 1024 * 1024;

/** Returns the sessions with their tool lists and indexes. */
export function prepareSubjects(
  { sessions, tools }: SessionData,
  { size, perSource, skip = 0, lane, lengths = 'own', isFixed = false }: SubjectOptions,
): ReplaySubject[] {
  const rankerOf = openRankers(lane, tools);
  const priors = recallPriors;
  const bySource = Map.groupBy(sessions, ({ source }) => source);
  const drawn = [...bySource.values()].flatMap((each) =>
    each.toSorted((one, other) => draw(one.id) - draw(other.id)).slice(skip, skip + perSource),
  );
  const fixed = new Map(
    [...bySource].map(([source, each]) => [source, makeList(joinTools(each), size, tools)]),
  );
  return drawn.map((session) => {
    const list = (isFixed ? fixed.get(session.source) : undefined) ?? makeList(session, size, tools);
    const index = indexToolList(
      hashToolList(list.tools.map(({ hash }) => hash)),
      list.tools.map(makeToolCard),
    );
    return {
      session,
      ...(lengths === 'own' ? { list, index } : shuffleLengths(session, list, index)),
      ranker: new MemoizedRanker(rankerOf(session, list), rankingsBytesMax),
      priors,
    };
  });
}

/**
 * Exchanges the lengths of the tools in a list. With exchanged lengths, no method can use that the needed tools of a
 * data set are short. A hash of the session and the position determines the exchange.
 */
function shuffleLengths(
  { id }: EvalSession,
  list: EvalList,
  index: KeywordIndex,
): Pick<ReplaySubject, 'list' | 'index'> {
  const drawn = [...list.tools.keys()].toSorted(
    (one, other) => draw(`length ${id} ${one}`) - draw(`length ${id} ${other}`),
  );
  const exchange = (lengths: ArrayLike<number>): number[] => drawn.map((position) => lengths[position] ?? 0);
  return {
    list: { ...list, tokens: exchange(list.tokens), headTokens: exchange(list.headTokens) },
    index: {
      ...index,
      definitionCharacters: Uint32Array.from(exchange(index.definitionCharacters)),
      parameterCharacters: Uint32Array.from(exchange(index.parameterCharacters)),
    },
  };
}

/** Returns a session with the tools of all sessions, for a tool list that all sessions have in common. */
function joinTools(sessions: readonly EvalSession[]): Pick<EvalSession, 'id' | 'tools'> {
  const byName = new Map(sessions.flatMap(({ tools }) => tools.map((tool) => [tool.name, tool] as const)));
  return { id: sessions[0]?.source ?? '', tools: [...byName.values()] };
}

type RankerOf = (session: EvalSession, list: EvalList) => ToolRanker;

/**
 * Loads the ranking method for sessions. For a data set's session, the semantic method uses models that were
 * trained without the set's family.
 */
function openRankers(lane: SubjectOptions['lane'], tools: ReadonlyMap<string, ToolDefinition>): RankerOf {
  if (lane === 'keyword') return () => keywordRanker;
  const definitions = [...tools.values()];
  const data = { definitions, cards: definitions.map(makeToolCard), texts: [], questions: [] };
  const lineOf = new Map(definitions.map(({ hash }, line) => [hash, line]));
  const path = new SemanticPath(data);
  return (session, list) => {
    for (const tool of list.tools.filter(({ hash }) => !lineOf.has(hash))) {
      lineOf.set(tool.hash, definitions.push(tool) - 1);
      data.cards.push(makeToolCard(tool));
    }
    const lines = list.tools.map(({ hash }) => lineOf.get(hash) ?? -1);
    return {
      rank: (_index, question) =>
        path.rank(session.source, question, lines, lane === 'first' ? 'first' : 'both'),
    };
  };
}
