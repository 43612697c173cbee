import { readHeadFeatures, type AccountHead, type HeadTables } from '@gateway/contracts';
import { fitWeights, type FitTurn } from './fit-weights.ts';
import { decay, HeadCounts, type LearnedConversation } from './head-counts.ts';

/** Minimum number of shadow conversations that a head is trained on. */
export const conversationsMin = 20;
/** The weights before training: the ranker's probability decides. */
const initial = [1, 0.5, 0.5, 0.5, 0.5];
const [toolsMax, pairsMax] = [512, 2_048];

/** Trains the head of one tool list. Conversations with other lists count by the tools that both lists have. */
export async function trainHead(
  list: string,
  conversations: readonly LearnedConversation[],
  madeAt: string,
): Promise<AccountHead | null> {
  const weighted = weigh(list, conversations);
  const measured = weighted.filter(([{ turns }]) => turns.length > 0);
  if (measured.length < conversationsMin) return null;
  const counts = new HeadCounts();
  for (const [conversation, weight] of weighted) counts.count(conversation, weight);
  const weights = await fitWeights(
    measured.flatMap((each) => readTurns(counts, each)),
    initial,
  );
  return { list, madeAt, conversations: measured.length, weights: weights.map(round), ...render(counts) };
}

type Weighted = readonly [conversation: LearnedConversation, weight: number];

/** Weighs conversations by age, by their measurement, and by the similarity of their tool list. */
function weigh(list: string, conversations: readonly LearnedConversation[]): Weighted[] {
  const sorted = conversations.toSorted((one, other) => (one.at < other.at ? -1 : 1));
  const own = new Set(sorted.findLast((each) => each.list === list)?.offered);
  const ages = decay(sorted.length);
  return sorted.flatMap((each, at): Weighted[] => {
    const shared = each.list === list ? own.size : each.offered.filter((name) => own.has(name)).length;
    const similarity = shared / Math.max(1, own.size, each.offered.length);
    const weight = (ages[at] ?? 0) * each.weight * similarity;
    return similarity < 0.1 ? [] : [[each, weight]];
  });
}

/** The features of a conversation's turns. A conversation's own calls do not count in its features. */
function readTurns(counts: HeadCounts, [conversation, weight]: Weighted): FitTurn[] {
  counts.count(conversation, -weight);
  const tables = counts.tables();
  const turns = conversation.turns.map((turn) => {
    const needed = turn.names.flatMap((name, at) => (turn.needed.has(name) ? [at] : []));
    return { rows: readHeadFeatures(tables, turn), needed: new Set(needed), weight };
  });
  counts.count(conversation, weight);
  return turns;
}

type Tables = Pick<AccountHead, 'tools' | 'usage' | 'usageElse' | 'together' | 'transitions'>;

function render(counts: HeadCounts): Tables {
  const tables = counts.tables();
  const byNeed = [...counts.needs].sort(([one, a], [other, b]) => b - a || (one < other ? -1 : 1));
  const names = [...byNeed.map(([name]) => name), ...counts.leads.keys()];
  const tools = [...new Set(names)].slice(0, toolsMax);
  const place = new Map(tools.map((name, at) => [name, at]));
  const list = (others: Iterable<string>, read: HeadTables['together']): AccountHead['together'] =>
    [...others]
      .flatMap((other) => [...read(other)].map(([tool, lift]) => [other, tool, round(lift)] as const))
      .sort(([, , one], [, , other]) => other - one)
      .flatMap(([other, tool, lift]): [number, number, number][] => {
        const [from, to] = [place.get(other), place.get(tool)];
        return from === undefined || to === undefined ? [] : [[from, to, lift]];
      })
      .slice(0, pairsMax);
  return {
    tools,
    usage: tools.map((name) => round(tables.usage(name))),
    usageElse: round(tables.usage('')),
    together: list(counts.leads.keys(), tables.together),
    transitions: list(counts.needs.keys(), tables.transitions),
  };
}

function round(value: number): number {
  return Math.round(value * 10_000) / 10_000;
}
