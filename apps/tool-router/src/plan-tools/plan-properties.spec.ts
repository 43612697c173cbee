import { createMetrics } from '@gateway/observability';
import { hashToolList } from '@gateway/contracts';
import fc from 'fast-check';
import type { PlannedConversation, PlanToolsRequest, ToolDefinition } from '@gateway/contracts';
import { ToolMemory } from '../tool-index/tool-memory.ts';
import { keywordRanker } from '../ranking/keyword-ranker.ts';
import { MemoizedRanker } from '../ranking/memoized-ranker.ts';
import type { PlannedTools } from './choose-plan.ts';
import { recallPriors } from '../policy/recall-prior.ts';
import { ToolPlanner } from './plan-tools.ts';
import { noPolicies } from '../policy/routing-policies.port.ts';
import { defineTool, planRequest } from '../tool-index/tools.fixture.ts';
import { openRouterShares } from '../shares/router-shares.ts';

/** A small vocabulary, so that tools and turns often share words. */
const word = fc.constantFrom(
  ...'create list delete merge search issue pull request file branch user team label release コード épreuve'.split(
    ' ',
  ),
);
const name = fc.array(word, { minLength: 1, maxLength: 3 }).map((words) => words.join('_'));
const description = fc.array(word, { maxLength: 6 }).map((words) => words.join(' '));
const tool = fc
  .tuple(fc.option(name, { freq: 20 }), description)
  .map(([each, text]) => defineTool(each, text));
const tools = fc.array(tool, { minLength: 1, maxLength: 40 });
const turn = fc.oneof(
  {
    weight: 6,
    arbitrary: fc
      .array(fc.oneof({ weight: 4, arbitrary: word }, name), { maxLength: 8 })
      .map((each) => each.join(' ')),
  },
  { weight: 1, arbitrary: fc.string({ unit: 'grapheme' }) },
);
const price = fc.record({
  cacheRead: fc.constantFrom(0.1, 0.5, null),
  cacheWrite: fc.constantFrom(1, 1.25),
  output: fc.constant(5),
  cachedTokensMin: fc.constantFrom(0, 1024),
  listTokens: fc.integer({ min: 100, max: 50_000 }),
  headTokens: fc.integer({ min: 0, max: 20_000 }),
  sentTokens: fc.array(fc.integer({ min: 0, max: 20_000 }), { minLength: 5, maxLength: 5 }),
});
const asked = fc.record({
  userTurns: fc.array(turn, { maxLength: 5 }),
  calledTools: fc.array(name, { maxLength: 2 }),
  recallTarget: fc.constantFrom(0.5, 0.8, 0.9, 0.95, 0.99, 0.9999),
  kOverride: fc.option(fc.integer({ min: 1, max: 12 }), { freq: 2 }),
  mayRecover: fc.boolean(),
  appends: fc.boolean(),
  price,
});
type Asked = Partial<PlanToolsRequest>;

async function plan(
  list: readonly ToolDefinition[],
  fields: Asked,
  isMemoized = false,
): Promise<PlannedTools> {
  const lists = new ToolMemory({ definitionsBytesMax: 1e8, listsBytesMax: 1e8 });
  lists.define(list);
  const ranker = isMemoized ? new MemoizedRanker(keywordRanker, 1e6) : keywordRanker;
  const planner = new ToolPlanner({
    lists,
    ranker,
    priors: recallPriors,
    policies: noPolicies,
    share: openRouterShares(createMetrics('tool-router')).loop,
    instanceId: 'one',
  });
  const toolHashes = list.map(({ hash }) => hash);
  const request = planRequest({ listHash: hashToolList(toolHashes), toolHashes, ...fields });
  if (isMemoized) await planner.plan({ ...request, userTurns: request.userTurns.slice(0, -1) });
  const reply = await planner.plan(request);
  if (reply.status !== 'planned') throw new Error('the tools are known');
  return reply;
}

/** The forwarded tool definitions, in any order. */
const bagOf = (list: readonly ToolDefinition[], { forwarded }: PlannedTools): string[] =>
  forwarded.map((position) => list[position]?.hash ?? '').toSorted();

const runs = { numRuns: 300 };
/** Timeout for property tests that compute several plans per run. */
const fewer = { numRuns: 100 };

describe('for any tools and any transcript', () => {
  it('reordering the tools changes only the order of the plan', async () => {
    const shuffled = tools.chain((list) =>
      fc.tuple(
        fc.constant(list),
        fc.shuffledSubarray(list, { minLength: list.length, maxLength: list.length }),
      ),
    );
    await fc.assert(
      fc.asyncProperty(shuffled, asked, async ([list, other], fields) => {
        const [one, two] = [await plan(list, fields), await plan(other, fields)];
        expect(bagOf(other, two)).toEqual(bagOf(list, one));
        const noPlaces = { forwarded: [], chosen: [], candidates: [] };
        expect({ ...two, ...noPlaces }).toEqual({ ...one, ...noPlaces });
      }),
      runs,
    );
  });

  it('adding an irrelevant tool never prunes a called tool', async () => {
    await fc.assert(
      fc.asyncProperty(tools, asked, fc.nat(), async (list, fields, at) => {
        const called = list[at % list.length]?.name ?? null;
        fc.pre(called !== null);
        const longer = [...list, defineTool('zzz', 'nothing of this')];
        const planned = await plan(longer, { ...fields, calledTools: [called] });
        // In `in_place` mode, a pruned tool stays pruned even if the model calls it.
        // Recovery rewrites calls to pruned tools before the calls are sent to the provider.
        if (planned.recovery.armed && planned.recovery.way === 'in_place') return;
        longer.forEach((each, position) => {
          if (each.name === called) expect(planned.forwarded).toContain(position);
        });
      }),
      runs,
    );
  });

  it('the same request produces the same plan with and without stored turns', async () => {
    await fc.assert(
      fc.asyncProperty(tools, asked, async (list, fields) => {
        expect(await plan(list, fields, true)).toEqual(await plan(list, fields));
      }),
      runs,
    );
  });

  it('a growing transcript never loses a tool after the tool set is decided', async () => {
    await fc.assert(
      fc.asyncProperty(
        tools,
        asked,
        turn,
        fc.array(name, { maxLength: 2 }),
        async (list, fields, next, called) => {
          fc.pre(fields.userTurns.length > 0);
          const before = await plan(list, fields);
          // While the tool set is undecided, all tools are sent, so a later plan may contain fewer tools.
          if (before.isUndecided) return;
          const after = await plan(list, {
            ...fields,
            userTurns: [...fields.userTurns, next],
            calledTools: [...fields.calledTools, ...called],
          });
          expect(after.forwarded).toEqual(expect.arrayContaining(before.forwarded));
        },
      ),
      runs,
    );
  });

  it('positions are ascending and valid, every tool is listed once as a candidate, and K counts only scored tools', async () => {
    await fc.assert(
      fc.asyncProperty(tools, asked, async (list, fields) => {
        const { forwarded, candidates, k } = await plan(list, fields);
        expect(forwarded).toEqual([...new Set(forwarded)].toSorted((one, other) => one - other));
        expect(candidates.map(({ position }) => position).toSorted((a, b) => a - b)).toEqual([
          ...list.keys(),
        ]);
        const always = new Set(candidates.filter(({ alwaysIn }) => alwaysIn).map(({ position }) => position));
        const scored = forwarded.filter((position) => !always.has(position)).length;
        expect(k).toBe(forwarded.length === list.length ? null : scored);
      }),
      runs,
    );
  });

  it('planning turn by turn with a remembered conversation selects the same tools as planning without it', async () => {
    const calls = fc.array(fc.array(name, { maxLength: 2 }), { minLength: 5, maxLength: 5 });
    await fc.assert(
      fc.asyncProperty(tools, asked, calls, async (list, fields, called) => {
        let session: PlannedConversation | undefined;
        for (let turns = 1; turns <= fields.userTurns.length; turns += 1) {
          const calledTools = [...new Set(called.slice(0, turns - 1).flat())];
          const request = { ...fields, userTurns: fields.userTurns.slice(0, turns), calledTools };
          const bare = await plan(list, request);
          const known = await plan(list, session === undefined ? request : { ...request, session });
          expect(known.forwarded).toEqual(bare.forwarded);
          expect(known.chosen).toEqual(bare.chosen);
          expect(known.recovery).toEqual(bare.recovery);
          session = remember(known, turns);
        }
      }),
      fewer,
    );
  });

  it('in `in_place` mode a call does not change the tool set', async () => {
    const long = fc.array(tool, { minLength: 25, maxLength: 40 });
    const words = fc.array(word, { minLength: 2, maxLength: 4 }).map((each) => each.join(' '));
    const cached = { cacheRead: 0.1, cacheWrite: 1.25, output: 5, cachedTokensMin: 0 };
    const fields = { mayRecover: true, price: { ...cached, listTokens: 20_000, headTokens: 5_000 } };
    let held = 0;
    await fc.assert(
      fc.asyncProperty(long, words, name, async (list, userTurn, called) => {
        const before = await plan(list, { ...fields, userTurns: [userTurn] });
        if (!before.recovery.armed || before.recovery.way !== 'in_place') return;
        held += 1;
        const after = await plan(list, { ...fields, userTurns: [userTurn], calledTools: [called] });
        expect(after.forwarded).toEqual(before.forwarded);
      }),
      fewer,
    );
    expect(held).toBeGreaterThan(10);
  });
});

/** A plan request with the same fields that the edge gateway sends. */
function remember(
  { chosen = [], policyVersion, method, way = null, isShadow, isUndecided }: PlannedTools,
  turns: number,
): PlannedConversation {
  return { forwarded: chosen, turns, policyVersion, lane: method, way, isShadow, isUndecided };
}
