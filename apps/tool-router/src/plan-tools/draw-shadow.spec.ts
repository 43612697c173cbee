import { createMetrics } from '@gateway/observability';
import { hashToolList, type PlanToolsRequest, type RoutingPolicy } from '@gateway/contracts';
import { recallPriors } from '../policy/recall-prior.ts';
import { keywordRanker } from '../ranking/keyword-ranker.ts';
import { ToolMemory } from '../tool-index/tool-memory.ts';
import { defineTool, planRequest } from '../tool-index/tools.fixture.ts';
import { shareOfShadow } from './choose-plan.ts';
import { ToolPlanner } from './plan-tools.ts';
import { openRouterShares } from '../shares/router-shares.ts';

const bucket = 'act:51-100';
const measured = (samples: number): RoutingPolicy => ({
  accountId: '019a9f5e-0000-7000-8000-000000000001',
  version: 'c1',
  madeAt: '2026-11-20T00:00:00Z',
  buckets: [{ bucket, samples, isOff: false, steps: [] }],
});
const shadow = (at: number) => ({ shadow: { at, share: 0.05, learning: 0.2 } });

describe('the probability of a shadow conversation', () => {
  it('equals the share for buckets with few samples until the bucket has 100 samples', () => {
    expect(shareOfShadow(shadow(0), 'prior', null, bucket)).toBe(0.2);
    expect(shareOfShadow(shadow(0), 'prior', measured(99), bucket)).toBe(0.2);
    expect(shareOfShadow(shadow(0), 'calibrated', measured(100), bucket)).toBe(0.05);
  });

  it('equals the share for buckets with few samples while recall is tested again', () => {
    const retest = { reason: 'recoveries_rose', since: '2026-11-20T00:00:00Z' } as const;
    const policy = measured(500);
    const tested = { ...policy, buckets: policy.buckets.map((each) => ({ ...each, retest })) };
    expect(shareOfShadow(shadow(0), 'calibrated', tested, bucket)).toBe(0.2);
  });

  it('equals the configured share, even if the regular share is larger than the share for buckets with few samples', () => {
    const capped = { shadow: { at: 0, share: 0.3, learning: 0.1 } };
    expect(shareOfShadow(capped, 'prior', null, bucket)).toBe(0.1);
    expect(shareOfShadow(capped, 'calibrated', measured(100), bucket)).toBe(0.3);
    // Gateways of the previous release send a single share of shadow conversations.
    expect(shareOfShadow({ shadow: { at: 0, share: 0.05 } }, 'prior', null, bucket)).toBe(0.05);
  });

  it('is zero if the request has no share, for a short list and for an override', () => {
    expect(shareOfShadow({}, 'prior', null, bucket)).toBe(0);
    expect(shareOfShadow(shadow(0), 'short_list', null, bucket)).toBe(0);
    expect(shareOfShadow(shadow(0), 'override', null, bucket)).toBe(0);
  });
});

describe('the shadow draw', () => {
  const list = Array.from({ length: 60 }, (_, at) => defineTool(`tool_${at}`, `does thing number ${at}`));
  const lists = new ToolMemory({ definitionsBytesMax: 1e8, listsBytesMax: 1e8 });
  lists.define(list);
  const planner = new ToolPlanner({
    ...{
      lists,
      ranker: keywordRanker,
      priors: recallPriors,
      policies: { find: () => null },
      share: openRouterShares(createMetrics('tool-router')).loop,
      instanceId: 'one',
    },
  });
  const toolHashes = list.map(({ hash }) => hash);
  const ask = async (fields: Partial<PlanToolsRequest>) => {
    const request = { listHash: hashToolList(toolHashes), toolHashes, userTurns: ['do thing number 3'] };
    const reply = await planner.plan(planRequest({ ...request, ...fields }));
    if (reply.status !== 'planned') throw new Error('the tools are known');
    return reply;
  };

  it('selects a conversation with a drawn number below the shadow share, and reports the share', async () => {
    expect(await ask(shadow(0.19))).toMatchObject({ isShadow: true, shadowShare: 0.2 });
    const other = await ask(shadow(0.21));
    expect(other.isShadow).toBe(false);
    expect(other.shadowShare).toBeUndefined();
  });

  it('happens only once per conversation, and a remembered result is kept', async () => {
    const session = { forwarded: [1], turns: 1, policyVersion: 'v', lane: 'keyword' as const, way: null };
    for (const isShadow of [true, false]) {
      const reply = await ask({ ...shadow(isShadow ? 1 : 0), session: { ...session, isShadow } });
      expect(reply.isShadow).toBe(isShadow);
      expect(reply.shadowShare).toBeUndefined();
    }
  });
});
