import { createMetrics } from '@gateway/observability';
import { hashToolList } from '@gateway/contracts';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { PlanToolsRequest, ToolDefinition } from '@gateway/contracts';
import { ToolMemory } from '../tool-index/tool-memory.ts';
import { keywordRanker } from '../ranking/keyword-ranker.ts';
import type { ToolRanker } from '../ranking/ranker.port.ts';
import type { PlannedTools } from './choose-plan.ts';
import { deferralK, recallPriors } from '../policy/recall-prior.ts';
import { ToolPlanner } from './plan-tools.ts';
import { noPolicies } from '../policy/routing-policies.port.ts';
import { growingTurnsMax } from './tool-set.ts';
import { defineTool, planRequest } from '../tool-index/tools.fixture.ts';
import { openRouterShares } from '../shares/router-shares.ts';

const verbs = ['create', 'list', 'delete', 'update', 'archive'];
const things = ['invoice', 'customer', 'shipment', 'warehouse', 'coupon', 'refund', 'webhook', 'payout'];
const shop = verbs.flatMap((verb) =>
  things.map((thing) => defineTool(`${verb}_${thing}`, `${verb} a ${thing}`)),
);
const shopNames = shop.map(({ name }) => name);

async function plan(
  tools: readonly ToolDefinition[],
  fields: Partial<PlanToolsRequest>,
  onRank?: (at: number) => void,
): Promise<PlannedTools> {
  const lists = new ToolMemory({ definitionsBytesMax: 1e8, listsBytesMax: 1e8 });
  lists.define(tools);
  const ranker: ToolRanker = {
    rank: (index, question) => {
      onRank?.(question.at);
      return keywordRanker.rank(index, question);
    },
  };
  const planner = new ToolPlanner({
    lists,
    ranker,
    priors: recallPriors,
    policies: noPolicies,
    share: openRouterShares(createMetrics('tool-router')).loop,
    instanceId: 'one',
  });
  const toolHashes = tools.map(({ hash }) => hash);
  const reply = await planner.plan(
    planRequest({ listHash: hashToolList(toolHashes), toolHashes, ...fields }),
  );
  if (reply.status !== 'planned') throw new Error('the tools are known');
  return reply;
}

const namesOf = (tools: readonly ToolDefinition[], { forwarded }: PlannedTools): (string | null)[] =>
  forwarded.map((position) => tools[position]?.name ?? null);
const clear = 'Create an invoice';

describe('a plan', () => {
  it('prunes tools for a clear turn and keeps the needed tool', async () => {
    const planned = await plan(shop, { userTurns: [clear] });
    expect(planned).toMatchObject({ kReason: 'prior', method: 'keyword', k: planned.forwarded.length });
    expect(namesOf(shop, planned)).toContain('create_invoice');
    expect(planned.forwarded.length).toBeLessThan(shop.length);
  });

  it('lists positions in the client’s order and ranks all tools', async () => {
    const planned = await plan(shop, { userTurns: [clear] });
    expect(planned.forwarded).toEqual(planned.forwarded.toSorted((one, other) => one - other));
    expect(planned.candidates.map(({ position }) => position).toSorted((a, b) => a - b)).toEqual([
      ...shop.keys(),
    ]);
    expect(planned.candidates[0]?.position).toBe(shopNames.indexOf('create_invoice'));
  });

  it.each([
    ['a greeting', ['hi']],
    ['words no tool has', ['Quel temps fait-il ?']],
    ['no user turn', []],
    ['an empty turn', ['']],
  ])('forwards all tools for %s, and reports the reason', async (_, userTurns) => {
    const planned = await plan(shop, { userTurns });
    expect(planned).toMatchObject({ kReason: 'uncertain', k: null });
    expect(planned.forwarded).toHaveLength(shop.length);
  });

  it('forwards all tools when the list is short', async () => {
    const planned = await plan(shop.slice(0, 8), { userTurns: [clear] });
    expect(planned).toMatchObject({ kReason: 'short_list', k: null });
    expect(planned.forwarded).toHaveLength(8);
  });

  it.each([1, 3, 20])(
    'applies an override that sets K to %d, even when the turn is ambiguous',
    async (kOverride) => {
      for (const turn of [clear, 'hi']) {
        const planned = await plan(shop, { userTurns: [turn], kOverride });
        expect(planned).toMatchObject({ kReason: 'override', k: kOverride });
        expect(planned.forwarded).toHaveLength(kOverride);
      }
    },
  );

  it('applies an override of K that equals the length of the list, and a small override for a short list', async () => {
    const wide = await plan(shop, { userTurns: [clear], kOverride: 512 });
    expect(wide).toMatchObject({ kReason: 'override', k: null });
    const narrow = await plan(shop.slice(0, 8), { userTurns: [clear], kOverride: 2 });
    expect(narrow.forwarded).toHaveLength(2);
  });

  it('always forwards called, forced, mentioned and pinned tools in addition to K, and reports the reason', async () => {
    const tools = [...shop, defineTool(null)];
    const planned = await plan(tools, {
      userTurns: ['Create an invoice, and use archive_payout'],
      kOverride: 1,
      calledTools: ['delete_coupon', 'gone'],
      forcedTools: ['update_refund'],
      pinned: [{ position: 0, because: 'cache_control' }],
    });
    const reasons = Object.fromEntries(
      planned.candidates.flatMap(({ position, alwaysIn }) =>
        alwaysIn === undefined ? [] : [[String(tools[position]?.name), alwaysIn]],
      ),
    );
    expect(reasons).toEqual({
      create_invoice: 'cache_control',
      archive_payout: 'mentioned',
      delete_coupon: 'called',
      update_refund: 'tool_choice',
      null: 'built_in',
    });
    expect(namesOf(tools, planned)).toEqual(
      expect.arrayContaining(Object.keys(reasons).filter((name) => name !== 'null')),
    );
    expect(planned.forwarded).toHaveLength(6);
    expect(planned.k).toBe(1);
  });

  it('forwards tools with the same name together', async () => {
    const twins = [...shop, defineTool('create_invoice', 'something else entirely')];
    const planned = await plan(twins, { userTurns: [clear], kOverride: 1 });
    expect(namesOf(twins, planned)).toEqual(['create_invoice', 'create_invoice']);
  });

  it('accepts thousands of tools, including tools without a description', async () => {
    const many = Array.from({ length: 4096 }, (_, at) =>
      defineTool(`tool_${at}_${shopNames[at % shopNames.length] ?? ''}`),
    );
    const planned = await plan(many, { userTurns: ['archive the webhook and the payout of tool 17'] });
    expect(planned.candidates).toHaveLength(4096);
  });
});

describe('the tool set of a conversation', () => {
  const next = 'Archive the warehouse';

  it('stays the same through an agent loop and through turns that need no other tool', async () => {
    const first = await plan(shop, { userTurns: [clear] });
    const step = await plan(shop, {
      userTurns: [clear],
      calledTools: ['create_invoice'],
      recentResults: ['{"id":1}'],
    });
    const thanks = await plan(shop, { userTurns: [clear, 'thanks'], calledTools: ['create_invoice'] });
    expect(step.forwarded).toEqual(first.forwarded);
    expect(thanks.forwarded).toEqual(first.forwarded);
    expect([step.kReason, thanks.kReason]).toEqual(['frozen', 'frozen']);
  });

  it('grows once when a later turn clearly needs a pruned tool, and keeps the earlier tools', async () => {
    const first = await plan(shop, { userTurns: [clear] });
    const grown = await plan(shop, { userTurns: [clear, next] });
    const after = await plan(shop, { userTurns: [clear, next, 'thanks'] });
    expect(namesOf(shop, first)).not.toContain('archive_warehouse');
    expect(namesOf(shop, grown)).toEqual(
      expect.arrayContaining([...namesOf(shop, first), 'archive_warehouse']),
    );
    expect(grown.kReason).toBe('grown');
    expect(after).toMatchObject({ kReason: 'frozen', forwarded: grown.forwarded });
  });

  it('is decided at the first turn with enough evidence about tools', async () => {
    const waiting = await plan(shop, { userTurns: ['hi'] });
    expect(waiting).toMatchObject({ kReason: 'uncertain', isUndecided: true, k: null });
    const decided = await plan(shop, { userTurns: ['hi', clear] });
    expect(decided).toMatchObject({ kReason: 'decided', isUndecided: false });
    expect(namesOf(shop, decided)).toContain('create_invoice');
    expect(decided.forwarded.length).toBeLessThan(shop.length);
    const after = await plan(shop, { userTurns: ['hi', clear, 'thanks'] });
    expect(after).toMatchObject({ kReason: 'frozen', forwarded: decided.forwarded });
  });

  it('contains all tools after eight turns without evidence about tools', async () => {
    const userTurns = [...Array<string>(8).fill('hi'), clear];
    expect(await plan(shop, { userTurns: userTurns.slice(0, 7) })).toMatchObject({ isUndecided: true });
    expect(await plan(shop, { userTurns })).toMatchObject({
      ...{ kReason: 'uncertain', isUndecided: false, k: null },
    });
  });

  const price = { cacheRead: 0.1, cacheWrite: 1.25, output: 5, cachedTokensMin: 1024 };
  const cached = { mayRecover: true, price: { ...price, listTokens: 40_000, headTokens: 500 } };

  it('is decided later only if the savings exceed the cost of rewriting the prompt cache', async () => {
    const after = (sent: number) =>
      plan(shop, {
        userTurns: ['hi', clear],
        mayRecover: true,
        price: { ...cached.price, sentTokens: [0, sent] },
      });
    const cheap = await after(600);
    expect(cheap).toMatchObject({ kReason: 'decided' });
    expect(cheap.worth!.saved).toBeGreaterThan(cheap.worth!.spent);
    const dear = await after(60_000);
    expect(dear).toMatchObject({ kReason: 'net_negative', k: null, isUndecided: false });
    expect(dear.worth!.spent).toBeGreaterThan(dear.worth!.saved);
    expect(dear.worth!.spent - cheap.worth!.spent).toBeCloseTo(59_400 * (1.25 - 0.1), -1);
  });

  it('grows with every turn by up to a third of K if tools can be added behind the cached prefix', async () => {
    const k = 6;
    const turns = [clear, 'Refund the payment of the customer', 'yes'];
    const sizeAt = async (at: number, appends: boolean): Promise<number> => {
      const asked = { userTurns: turns.slice(0, at + 1), kOverride: k, appends };
      return (await plan(shop, { ...cached, ...asked })).forwarded.length;
    };
    const [first, second, third] = [await sizeAt(0, true), await sizeAt(1, true), await sizeAt(2, true)];
    expect(await sizeAt(0, false)).toBe(first);
    expect(second).toBeGreaterThan(first);
    for (const added of [second - first, third - second]) expect(added).toBeLessThanOrEqual(k / 3);
    expect(third).toBeGreaterThanOrEqual(second);
  });

  describe('of a new account whose provider defers tools', () => {
    const wide = [...Array(3).keys()].flatMap((copy) =>
      verbs.flatMap((verb) =>
        things.map((thing) => defineTool(`${verb}_${thing}_${copy}`, `${verb} a ${thing}`)),
      ),
    );
    const deferred = { ...cached, userTurns: [clear], recallTarget: 0.95 };
    const prior = recallPriors.keyword;
    const wanted = { tools: wide.length, recallTarget: 0.95, recoveredShare: 0.5 };

    it.each([
      ['loading', { deferredCost: 'nothing', appends: true }],
      ['constant', { deferredCost: 'nothing' }],
      ['described', { deferredCost: 'description' }],
    ] as const)('has the K that was measured on whole conversations (%s)', async (mode, given) => {
      const k = deferralK(prior, mode, wanted);
      const planned = await plan(wide, { ...deferred, ...given });
      expect(planned).toMatchObject({ kReason: 'prior', k: k < wide.length ? k : null });
      expect(planned.policyVersion).toContain(prior.deferral.version);
    });

    it('loads no tools in later turns if the deferred tools are constant', async () => {
      const given = { ...deferred, deferredCost: 'description' } as const;
      const first = await plan(wide, given);
      const second = await plan(wide, { ...given, userTurns: [clear, 'Refund the payment of the customer'] });
      expect(second.forwarded).toEqual(first.forwarded);
    });

    it('needs a larger K for a higher target, a longer list or a recovery rate below 0.5', () => {
      for (const mode of ['loading', 'constant', 'described'] as const) {
        const kOf = (given: Partial<typeof wanted>): number =>
          deferralK(prior, mode, { ...wanted, ...given });
        expect(kOf({ recallTarget: 0.8 })).toBeLessThan(kOf({}));
        expect(kOf({ tools: 200 })).toBeGreaterThan(kOf({}));
        expect(kOf({ recoveredShare: 0.3 })).toBeGreaterThan(kOf({}));
        expect(kOf({ recallTarget: 0.9999 })).toBe(Infinity);
      }
    });
  });

  it('is decided after a late plan, at any step of an agent loop, if the savings exceed the cost of rewriting the prompt cache', async () => {
    const late = (lateTokens: number) => ({
      ...{ userTurns: [clear], calledTools: ['create_invoice'], recentResults: ['{"id":1}'], ...cached },
      session: {
        ...{ forwarded: [...shop.keys()], turns: 1, policyVersion: 'late', lane: 'keyword' as const },
        ...{ way: null, isShadow: false, isUndecided: true, lateTokens },
      },
    });
    const onTime = await plan(shop, { userTurns: [clear], ...cached });
    const soon = await plan(shop, late(900));
    expect(soon).toMatchObject({ kReason: 'decided', chosen: onTime.chosen });
    expect(soon.policyVersion).toBe(onTime.policyVersion);
    expect(await plan(shop, late(90_000))).toMatchObject({ kReason: 'net_negative', k: null });
  });

  it('of an `in_place` conversation grows by tool names that the person wrote, but not by names in pasted logs', async () => {
    const pruned = 'archive_warehouse';
    const before = await plan(shop, { userTurns: [clear], ...cached });
    expect(before.recovery).toEqual({ armed: true, way: 'in_place' });
    expect(namesOf(shop, before)).not.toContain(pruned);
    const log = `It fails:\n2026-11-20 10:00:00 ERROR ${pruned} timed out\n    at ${pruned} (/srv/app.js:10:2)`;
    const ask = (turn: string) => plan(shop, { userTurns: [clear, turn], ...cached });
    expect(namesOf(shop, await ask(`It fails, call ${pruned}`))).toContain(pruned);
    const pasted = await ask(log);
    expect(
      pasted.candidates.find(({ position }) => shopNames[position] === pruned)?.alwaysIn,
    ).toBeUndefined();
  });

  it('needs rankings only for the first turns and the newest turn of a thousand-turn conversation', async () => {
    const userTurns = [
      clear,
      ...Array.from({ length: 1000 }, (_, at) => `Update shipment ${at} of the customer`),
    ];
    const ranked: number[] = [];
    const planned = await plan(shop, { userTurns }, (at) => ranked.push(at));
    expect(ranked).toEqual([...Array(growingTurnsMax).keys(), 1000]);
    expect(planned.kReason).toBe('frozen');
  });
});

describe('the GitHub tools', () => {
  const text = readFileSync(
    join(import.meta.dirname, '../../../../libs/testing/data/github-tools.json'),
    'utf8',
  );
  const definitions = JSON.parse(text) as {
    function: { name: string; description: string; parameters: unknown };
  }[];
  const github = definitions.map(({ function: { name, description, parameters } }) => ({
    ...defineTool(name, description),
    parameters,
  }));

  it.each([
    ['List the open issues in octocat/hello-world', 'list_issues'],
    ['Create an issue in acme/widgets titled "Login button does nothing"', 'create_issue'],
    ['Merge pull request 42 in the acme/api repository with a squash commit', 'merge_pull_request'],
    ['Search code for usages of parseConfig in the gateway repo', 'search_code'],
    ['Please star the repository facebook/react', 'star_repository'],
  ])('are pruned to at most half for %j, and include the needed tool', async (turn, needed) => {
    const planned = await plan(github, { userTurns: [turn] });
    expect(planned.candidates).toHaveLength(117);
    expect(planned.forwarded.length).toBeLessThanOrEqual(60);
    expect(namesOf(github, planned)).toContain(needed);
  });
});
