import { accountHead, openHead, readHeadFeatures } from '@gateway/contracts';
import { fitWeights } from './fit-weights.ts';
import type { LearnedConversation } from './head-counts.ts';
import { trainHead } from './train-head.ts';

const names = Array.from({ length: 40 }, (_, at) => `tool_${at}`);
const madeAt = '2026-11-20T00:00:00.000Z';

/** A conversation in which the ranker leads with three tools, and the model needs other tools. */
function conversation(
  at: number,
  needed: string[],
  fields: Partial<LearnedConversation> = {},
): LearnedConversation {
  const leading = names.slice(3 * (at % 3), 3 * (at % 3) + 3);
  const ranked = [...leading, ...names.filter((name) => !leading.includes(name))];
  const scores = ranked.map((_, place) => Math.round(1000 / (place + 2) ** 2) / 1000);
  return {
    ...{
      at: new Date(Date.UTC(2026, 10, 1) + at * 1000).toISOString(),
      list: 'a',
      offered: names,
      weight: 1,
      needed,
    },
    turns: [{ names: ranked, scores, called: [], needed: new Set(needed) }],
    ...fields,
  };
}

const rankBy = (
  head: NonNullable<Awaited<ReturnType<typeof trainHead>>>,
  of: LearnedConversation,
): string[] => {
  const [turn] = of.turns;
  const rows = readHeadFeatures(openHead(head), turn!);
  const scored = rows.map(
    (row, at) => [row.reduce((sum, x, i) => sum + x * head.weights[i]!, 0), turn!.names[at]!] as const,
  );
  return scored.sort(([one], [other]) => other - one).map(([, name]) => name);
};

describe('the account head', () => {
  const history = Array.from({ length: 60 }, (_, at) => conversation(at, [`tool_${30 + (at % 3)}`]));

  it('ranks the tools first that the account needs, also those that the ranker ranks low', async () => {
    const head = await trainHead('a', history, madeAt);
    expect(accountHead.parse(head)).toEqual(head);
    const next = conversation(60, []);
    expect(rankBy(head!, next).slice(0, 3).sort()).toEqual(['tool_30', 'tool_31', 'tool_32']);
    // The ranker leads with tool_0, and the account needs tool_30 whenever it does.
    expect(rankBy(head!, next)[0]).toBe('tool_30');
  });

  it('is the same for the same conversations, in any order', async () => {
    expect(await trainHead('a', history.toReversed(), madeAt)).toEqual(await trainHead('a', history, madeAt));
  });

  it('needs 20 shadow conversations, and recoveries alone do not train it', async () => {
    expect(await trainHead('a', history.slice(0, 19), madeAt)).toBeNull();
    const recoveries = history.map((each) => ({ ...each, turns: [], weight: 0.2 }));
    expect(await trainHead('a', recoveries, madeAt)).toBeNull();
  });

  it('counts recoveries by their weight', async () => {
    const recovered = conversation(100, ['tool_39'], { turns: [], weight: 0.5 });
    const usageOf = async (...extra: LearnedConversation[]) =>
      openHead((await trainHead('a', [...history, ...extra], madeAt))!).usage('tool_39');
    const [none, half, whole] = [
      await usageOf(),
      await usageOf(recovered),
      await usageOf({ ...recovered, weight: 1 }),
    ];
    expect(none).toBeLessThan(half);
    expect(half).toBeLessThan(whole);
  });

  it('keeps what it learned when the tool list changes, by the tools of both lists', async () => {
    const renamed = names.map((name, at) => (at < 10 ? `new_${at}` : name));
    const newer = Array.from({ length: 5 }, (_, at) =>
      conversation(70 + at, ['tool_30'], { list: 'b', offered: renamed }),
    );
    const head = await trainHead('b', [...history, ...newer], madeAt);
    expect(head).toMatchObject({ list: 'b', conversations: 65 });
    const foreign = Array.from({ length: 40 }, (_, at) => `foreign_${at}`);
    const other = newer.map((each) => ({ ...each, offered: foreign }));
    expect(await trainHead('b', [...history, ...other], madeAt)).toBeNull();
  });

  it('weighs recent conversations more than old ones', async () => {
    const old = Array.from({ length: 300 }, (_, at) => conversation(at, ['tool_30']));
    const recent = Array.from({ length: 300 }, (_, at) => conversation(300 + at, ['tool_31']));
    const tables = openHead((await trainHead('a', [...old, ...recent], madeAt))!);
    expect(tables.usage('tool_31')).toBeGreaterThan(tables.usage('tool_30') + 0.5);
  });

  it('is bounded in size, and fast, with many tools and conversations', async () => {
    const many = Array.from({ length: 256 }, (_, at) => `a_long_tool_name_of_an_agent_${at}`);
    const large = Array.from({ length: 300 }, (_, at) => {
      const needed = Array.from({ length: 6 }, (__, i) => many[(at * 7 + i * 31) % 256]!);
      const turns = [0, 1].map(() => ({
        ...{ names: many.toSorted((one, other) => ((one.length * at) % 7) - ((other.length * at) % 5)) },
        ...{ scores: many.map(() => 0.004), called: needed.slice(0, 3), needed: new Set(needed) },
      }));
      return conversation(at, needed, { offered: many, turns });
    });
    const startedAt = process.cpuUsage();
    const head = await trainHead('a', large, madeAt);
    expect(process.cpuUsage(startedAt).user / 1e6).toBeLessThan(10);
    expect(JSON.stringify(head).length).toBeLessThan(128 * 1024);
    expect(accountHead.safeParse(head).success).toBe(true);
  });
});

describe('the weights', () => {
  it('reach the optimum: the gradient of the loss is zero', async () => {
    const turns = Array.from({ length: 30 }, (_, at) => ({
      ...{
        rows: [
          [at % 2, 1],
          [(at + 1) % 3, 0],
          [0.5, at % 5],
        ],
        needed: new Set([at % 3]),
        weight: 1,
      },
    }));
    const loss = (weights: readonly number[]): number =>
      turns.reduce(
        (sum, { rows, needed }) => {
          const scores = rows.map((row) => row.reduce((all, x, i) => all + x * weights[i]!, 0));
          const total = scores.reduce((all, score) => all + Math.exp(score), 0);
          return sum + Math.log(total) - scores[[...needed][0]!]!;
        },
        weights.reduce((sum, weight) => sum + (weight - 1) ** 2 / 2, 0),
      );
    const fitted = await fitWeights(turns, [1, 1]);
    for (const [i, weight] of fitted.entries()) {
      const nudge = (by: number) => fitted.map((each, at) => (at === i ? each + by : each));
      if (weight > 0) expect(loss(nudge(1e-4)) - loss(nudge(-1e-4))).toBeCloseTo(0, 6);
      expect(loss(nudge(0.1))).toBeGreaterThan(loss(fitted));
    }
  });
});
