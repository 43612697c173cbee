import { hashToolList, type PlannedConversation } from '@gateway/contracts';
import type { PlanToolsRequest, RoutingPolicy } from '@gateway/contracts';
import { createMetrics } from '@gateway/observability';
import { recallPriors } from '../policy/recall-prior.ts';
import { keywordRanker } from '../ranking/keyword-ranker.ts';
import { ToolMemory } from '../tool-index/tool-memory.ts';
import { defineTool, planRequest } from '../tool-index/tools.fixture.ts';
import type { PlannedTools } from './choose-plan.ts';
import { ToolPlanner } from './plan-tools.ts';
import { listGrid } from './replay-grid.ts';
import { openRouterShares } from '../shares/router-shares.ts';

const verbs = 'create list delete merge search update close open assign label'.split(' ');
const nouns = 'issue pull_request file branch user team label release'.split(' ');
const list = verbs.flatMap((verb) => nouns.map((noun) => defineTool(`${verb}_${noun}`, `${verb} a ${noun}`)));
const turns = ['create an issue about the failing release', 'merge the pull request', 'who is in the team?'];
const price = {
  cacheRead: 0.1,
  cacheWrite: 1.25,
  output: 5,
  cachedTokensMin: 1024,
  listTokens: 12_000,
  headTokens: 4_000,
};

/** A routing policy with one K for all intents, for tool lists of 51 to 100 tools. */
function policyOf(k: number): RoutingPolicy {
  return {
    accountId: '019a9f5e-0000-7000-8000-000000000001',
    version: 'c1',
    madeAt: '2026-11-20T12:00:00.000Z',
    recallTarget: 0.95,
    buckets: [
      {
        bucket: '*:51-100',
        samples: 100,
        isOff: false,
        steps: [],
        state: 'calibrated',
        reason: 'target_met',
        k,
        kWithoutRecovery: k,
      },
    ],
  };
}

async function plan(
  fields: Partial<PlanToolsRequest>,
  policy: RoutingPolicy | null = null,
): Promise<PlannedTools> {
  const lists = new ToolMemory({ definitionsBytesMax: 1e8, listsBytesMax: 1e8 });
  lists.define(list);
  const planner = new ToolPlanner({
    lists,
    ranker: keywordRanker,
    priors: recallPriors,
    policies: { find: () => policy },
    share: openRouterShares(createMetrics('tool-router')).loop,
    instanceId: 'one',
  });
  const toolHashes = list.map(({ hash }) => hash);
  const listHash = hashToolList(toolHashes);
  const reply = await planner.plan(planRequest({ listHash, toolHashes, price, mayRecover: true, ...fields }));
  if (reply.status !== 'planned') throw new Error('the tools are known');
  return reply;
}

const inShadow = { shadow: { at: 0, share: 1 } };

/** A conversation with earlier requests that were sent with all tools. */
const undecided = (fields: Partial<PlannedConversation>): Partial<PlanToolsRequest> => ({
  session: {
    ...{ forwarded: [...list.keys()], turns: 1, policyVersion: 'late', lane: 'keyword', way: null },
    ...{ isShadow: true, isUndecided: true, ...fields },
  },
});
const withSent = (...sentTokens: number[]) => ({ price: { ...price, sentTokens } });

describe('the labels of a shadow conversation', () => {
  it.each<[string, string[], Partial<PlanToolsRequest>]>([
    ['after one turn', turns.slice(0, 1), {}],
    ['after two turns', turns.slice(0, 2), {}],
    ['after three turns', turns, {}],
    ['after a greeting', ['hi'], {}],
    ['after a greeting and a task', ['hi', ...turns], {}],
    ['after a greeting, if only small sets pay for the rewrite', ['hi', ...turns], withSent(0, 2_000, 9_000)],
    ['after a greeting, if no rewrite pays', ['hi', ...turns], withSent(0, 90_000, 99_000)],
    ['with the memo of a greeting', ['hi', ...turns], undecided({})],
    ['after a late plan', turns, undecided({ lateTokens: 2_000 })],
    ['after a late plan, if no rewrite pays', turns, undecided({ lateTokens: 90_000 })],
  ])(
    'contain for each tool the smallest K with a tool set that includes the tool, %s',
    async (_, userTurns, fields) => {
      const { candidates, isShadow } = await plan({ userTurns, ...inShadow, ...fields });
      expect(isShadow).toBe(true);
      const grid = listGrid(list.length);
      const served = await Promise.all(
        grid.map(async (k) => new Set((await plan({ userTurns, ...fields }, policyOf(k))).forwarded)),
      );
      for (const { position, heldFromK = 0 } of candidates) {
        served.forEach((forwarded, at) => {
          if ((grid[at] ?? 0) >= heldFromK) expect(forwarded).toContain(position);
        });
        const below = grid.findLastIndex((k) => k < heldFromK);
        if (below >= 0 && heldFromK > 1) expect(served[below]).not.toContain(position);
      }
    },
  );

  it('are the same when the plan after a late plan is computed from a remembered conversation', async () => {
    const fields = undecided({ lateTokens: 2_000 });
    const first = await plan({ userTurns: turns.slice(0, 1), ...inShadow, ...fields });
    const session: PlannedConversation = {
      ...{ forwarded: first.chosen ?? [], turns: 1, policyVersion: first.policyVersion, lane: first.method },
      ...{ way: first.way ?? null, isShadow: true, isUndecided: first.isUndecided, lateTokens: 2_000 },
    };
    const remembered = await plan({ userTurns: turns, ...inShadow, session });
    const fresh = await plan({ userTurns: turns, ...inShadow, ...fields });
    expect(remembered.candidates).toEqual(fresh.candidates);
  });

  it('are the same with and without a remembered conversation', async () => {
    const first = await plan({ userTurns: turns.slice(0, 1), ...inShadow });
    const session = {
      forwarded: first.chosen ?? [],
      turns: 1,
      policyVersion: first.policyVersion,
      lane: first.method,
      way: first.recovery.armed ? first.recovery.way : null,
      isShadow: true,
    };
    const remembered = await plan({ userTurns: turns, ...inShadow, session });
    const fresh = await plan({ userTurns: turns, ...inShadow });
    const labels = ({ candidates }: PlannedTools) =>
      candidates.map(({ position, heldFromK }) => [position, heldFromK]);
    expect(labels(remembered)).toEqual(labels(fresh));
  });

  it('are absent outside shadow conversations', async () => {
    const { candidates } = await plan({ userTurns: turns });
    expect(candidates.some(({ heldFromK }) => heldFromK !== undefined)).toBe(false);
  });
});

describe('a calibrated routing policy', () => {
  it('is applied literally: the K of the policy is the number of tools forwarded by rank', async () => {
    for (const k of [7, 23, 41]) {
      const planned = await plan({ userTurns: turns.slice(0, 1) }, policyOf(k));
      expect(planned).toMatchObject({
        kReason: 'calibrated',
        bucket: expect.stringMatching(/:51-100$/) as string,
      });
      expect(planned.chosen).toHaveLength(k);
    }
  });

  it('with the state `off` forwards all tools, unless the key overrides K', async () => {
    const [bucket] = policyOf(9).buckets;
    const off = {
      ...policyOf(9),
      buckets: [{ ...bucket!, isOff: true, state: 'off' as const, reason: 'recall_fell' as const }],
    };
    const planned = await plan({ userTurns: turns.slice(0, 1) }, off);
    expect(planned).toMatchObject({ kReason: 'recall_off', k: null });
    expect(planned.forwarded).toHaveLength(list.length);
    const overridden = await plan({ userTurns: turns.slice(0, 1), kOverride: 6 }, off);
    expect(overridden).toMatchObject({ kReason: 'override', k: 6 });
  });
});
