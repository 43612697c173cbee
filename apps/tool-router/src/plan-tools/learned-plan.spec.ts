import { createMetrics } from '@gateway/observability';
import {
  hashToolList,
  type AccountHead,
  type PlanToolsRequest,
  type RoutingPolicy,
} from '@gateway/contracts';
import { recallPriors } from '../policy/recall-prior.ts';
import { orderByScore } from '../tool-index/keyword-scores.ts';
import type { ToolRanker } from '../ranking/ranker.port.ts';
import { ToolMemory } from '../tool-index/tool-memory.ts';
import { defineTool, planRequest } from '../tool-index/tools.fixture.ts';
import { openRouterShares } from '../shares/router-shares.ts';
import { ToolPlanner } from './plan-tools.ts';

const list = Array.from({ length: 60 }, (_, at) => defineTool(`tool_${at}`, `does thing number ${at}`));
const toolHashes = list.map(({ hash }) => hash);
const listHash = hashToolList(toolHashes);
const [k, learnedK] = [30, 5];

/** Ranks the tools in the order of their numbers. */
const ranker = (method: 'semantic' | 'keyword'): ToolRanker => ({
  rank(index) {
    const raw = index.names.map((name) => 1 / (1 + Number(name?.split('_')[1])));
    const sum = raw.reduce((all, each) => all + each, 0);
    const scores = Float64Array.from(raw, (each) => each / sum);
    const facts = { method, methodReason: 'semantic', rankedBy: `${method}.2.test`, namesTop: true } as const;
    const order = orderByScore(index, scores);
    return { ...facts, scores, order, topScore: 100, evidence: 1, confidence: 1 };
  },
});

const head = (fields: Partial<AccountHead> = {}): AccountHead => ({
  list: listHash.slice(0, 16),
  madeAt: '2026-11-20T00:00:00Z',
  conversations: 40,
  weights: [0.5, 0.5, 1, 1, 4],
  tools: ['tool_50', 'tool_0', 'tool_1', 'tool_55'],
  usage: [-0.1, -7, -7, -7],
  usageElse: -7,
  together: [],
  transitions: [[0, 3, 4]],
  ...fields,
});

const policy = (isUsed: boolean, heads: AccountHead[] = [head()]): RoutingPolicy => ({
  accountId: '019a9f5e-0000-7000-8000-000000000001',
  version: 'c7',
  madeAt: '2026-11-20T00:00:00Z',
  recallTarget: 0.9,
  heads,
  buckets: ['act', 'lookup', 'chat', 'multi-step', 'code', '*'].map((intent) => ({
    ...{ bucket: `${intent}:51-100`, samples: 200, isOff: false, steps: [[k, 0.91]] as [number, number][] },
    ...{ state: 'calibrated' as const, reason: 'target_met' as const, k, kWithoutRecovery: k },
    learned: {
      ...{ isUsed, samples: 100, since: '2026-11-20T00:00:00Z', expected: null },
      ...{ steps: [[learnedK, 0.91]] as [number, number][], k: learnedK, kWithoutRecovery: learnedK },
    },
  })),
});

async function plan(
  found: RoutingPolicy | null,
  fields: Partial<PlanToolsRequest> = {},
  method: 'semantic' | 'keyword' = 'semantic',
) {
  const lists = new ToolMemory({ definitionsBytesMax: 1e8, listsBytesMax: 1e8 });
  lists.define(list);
  const planner = new ToolPlanner({
    ...{
      lists,
      ranker: ranker(method),
      priors: recallPriors,
      policies: { find: () => found },
      instanceId: 'one',
    },
    share: openRouterShares(createMetrics('tool-router')).loop,
  });
  const request = { listHash, toolHashes, userTurns: ['Do the thing that I need.'], recallTarget: 0.9 };
  const reply = await planner.plan(planRequest({ ...request, ...fields }));
  if (reply.status !== 'planned') throw new Error('the tools are known');
  return reply;
}

describe('a plan with an account head', () => {
  it('ranks by the head and uses the measured K of the head if the policy says so', async () => {
    const learned = await plan(policy(true));
    expect(learned.forwarded).toHaveLength(learnedK);
    expect(learned.forwarded).toContain(50);
    expect(learned.policyVersion).toMatch(/^semantic\.2\.test\+head\/.*\/c7$/);
    const plain = await plan(policy(false));
    expect(plain.forwarded).toEqual(Array.from({ length: k }, (_, at) => at));
    expect(plain.policyVersion).not.toContain('+head');
    expect(plain.candidates.every(({ unlearned }) => unlearned === undefined)).toBe(true);
  });

  it('keeps the plain ranker without recovery if the head has no K without recovery', async () => {
    const given = policy(true);
    const buckets = given.buckets.map((each) => ({
      ...each,
      learned: each.learned && { ...each.learned, kWithoutRecovery: null },
    }));
    const without = await plan({ ...given, buckets }, { mayRecover: false });
    expect(without.policyVersion).not.toContain('+head');
    expect(without.forwarded).toHaveLength(k);
    expect((await plan({ ...given, buckets }, { mayRecover: true })).policyVersion).toContain('+head');
  });

  it('explains the best scores: the shares differ between tools as the scores do', async () => {
    const { candidates } = await plan(policy(true));
    const [first, second] = candidates;
    expect([first?.position, first?.unlearned?.[1]]).toEqual([50, 51]);
    const total = ({ unlearned }: (typeof candidates)[number]): number =>
      (unlearned?.slice(2) ?? []).reduce((sum, share) => sum + share, 0);
    const logOdds = Math.log(first!.score / second!.score);
    expect(total(first!) - total(second!)).toBeCloseTo(logOdds, 1);
    expect(first!.unlearned![4]).toBeGreaterThan(3);
    expect(candidates.filter(({ unlearned }) => unlearned?.length === 7)).toHaveLength(20);
    expect(candidates.map(({ unlearned }) => unlearned![1]).sort((a, b) => a - b)).toEqual(
      list.map((_, at) => at + 1),
    );
  });

  it('reports the needed K of a shadow conversation with and without the head, used or not', async () => {
    for (const isUsed of [true, false]) {
      const { candidates, isShadow } = await plan(policy(isUsed), { shadow: { at: 0, share: 1 } });
      expect(isShadow).toBe(true);
      const tool = candidates.find(({ position }) => position === 50);
      expect(tool?.learnedFromK).toBe(1);
      expect(tool?.heldFromK).toBeGreaterThanOrEqual(51);
      expect(tool?.heldFromK).toBeLessThan(54);
    }
    const without = await plan(policy(false, []), { shadow: { at: 0, share: 1 } });
    expect(without.candidates.every(({ learnedFromK }) => learnedFromK === undefined)).toBe(true);
  });

  it('never changes the ranker of a conversation, even if the policy of its version cannot be read', async () => {
    const { chosen = [], policyVersion } = await plan(policy(true));
    const session = {
      forwarded: chosen,
      turns: 1,
      policyVersion,
      lane: 'semantic',
      way: null,
      isShadow: false,
    } as const;
    const later = { session, userTurns: ['Do the thing that I need.', 'Now do the other thing.'] };
    const lost = await plan(null, later);
    expect(lost.chosen).toEqual(chosen);
    expect(lost.policyVersion).toBe(policyVersion);
    const begun = await plan(policy(false));
    const plain = { ...session, forwarded: begun.chosen ?? [], policyVersion: begun.policyVersion };
    const kept = await plan(policy(true), { ...later, session: plain });
    expect(kept.candidates.every(({ unlearned }) => unlearned === undefined)).toBe(true);
  });

  it('ranks later turns by the tools that were called before each turn', async () => {
    const turns = {
      userTurns: ['Do the thing that I need.', 'Now do the other thing.'],
      calledTools: ['tool_50'],
    };
    const rankOf = async (calledBefore: number[]) =>
      (await plan(policy(true), { ...turns, calledBefore })).candidates.findIndex(
        ({ position }) => position === 55,
      );
    expect(await rankOf([0, 1])).toBeLessThan(await rankOf([0, 0]));
  });

  it('leaves keyword rankings and unknown tool lists to the plain policy', async () => {
    const keyword = await plan(policy(true), {}, 'keyword');
    expect(keyword.policyVersion).not.toContain('+head');
    expect(keyword.forwarded).toHaveLength(k);
    const foreign = await plan(
      policy(true, [head({ list: '0'.repeat(16), tools: ['other', 'else', 'more'], usage: [-1, -1, -1] })]),
    );
    expect(foreign.forwarded).toHaveLength(k);
    const changed = await plan(policy(true, [head({ list: '0'.repeat(16) })]));
    expect(changed.forwarded).toHaveLength(learnedK);
  });
});
