import { hashToolList, type PlanToolsRequest } from '@gateway/contracts';
import { createMetrics } from '@gateway/observability';
import { recallPriors } from '../policy/recall-prior.ts';
import { noPolicies } from '../policy/routing-policies.port.ts';
import { keywordRanker } from '../ranking/keyword-ranker.ts';
import type { EncoderChoice, RankOptions, ToolRanker } from '../ranking/ranker.port.ts';
import { openRouterShares } from '../shares/router-shares.ts';
import { ToolMemory } from '../tool-index/tool-memory.ts';
import { defineTool, planRequest } from '../tool-index/tools.fixture.ts';
import { ToolPlanner } from './plan-tools.ts';

const things = ['invoice', 'customer', 'shipment', 'warehouse', 'coupon', 'refund', 'webhook', 'payout'];
const shop = ['create', 'list', 'delete', 'update', 'archive'].flatMap((verb) =>
  things.map((thing) => defineTool(`${verb}_${thing}`, `${verb} a ${thing}`)),
);
const toolHashes = shop.map(({ hash }) => hash);
const [clear, next] = ['Create an invoice', 'Archive the warehouse'];
const rankedByOf = (encoders: EncoderChoice) => (encoders === 'both' ? 'semantic.2.a.b.c' : 'semantic.1.a.d');

/**
 * Creates a planner with a ranker that returns keyword rankings in the form of semantic rankings. The field `state.available`
 * sets the encoders that the ranker can use, and `state.asked` records the encoders that each ranking requests.
 */
function openPlanner() {
  const state: { available: EncoderChoice; asked: (EncoderChoice | undefined)[] } = {
    ...{ available: 'first', asked: [] },
  };
  const ranker: ToolRanker = {
    rank: (index, question, { encoders = 'first' }: RankOptions = {}) => {
      state.asked.push(encoders);
      const used = state.available === 'first' ? 'first' : encoders;
      const ranked = keywordRanker.rank(index, question);
      const sum = ranked.scores.reduce((all, score) => all + Math.exp(score), 0);
      const scores = ranked.scores.map((score) => Math.exp(score) / sum);
      const confidence = Math.max(...scores);
      const facts = { method: 'semantic', methodReason: 'semantic', rankedBy: rankedByOf(used) } as const;
      return { ...ranked, scores, topScore: confidence, confidence, ...facts };
    },
  };
  const lists = new ToolMemory({ definitionsBytesMax: 1e8, listsBytesMax: 1e8 });
  lists.define(shop);
  const planner = new ToolPlanner({
    ...{ lists, ranker, priors: recallPriors, policies: noPolicies, instanceId: 'one' },
    chooseEncoders: () => Promise.resolve(state.available),
    share: openRouterShares(createMetrics('tool-router')).loop,
  });
  const plan = async (fields: Partial<PlanToolsRequest>) => {
    state.asked.length = 0;
    const reply = await planner.plan(
      planRequest({ listHash: hashToolList(toolHashes), toolHashes, ...fields }),
    );
    if (reply.status !== 'planned') throw new Error('the tools are known');
    return reply;
  };
  return { state, plan };
}

type Planned = Awaited<ReturnType<ReturnType<typeof openPlanner>['plan']>>;

/** The stored state of a conversation after its first turn. */
const remember = ({ chosen = [], policyVersion, method, way = null, isShadow }: Planned) => ({
  session: { forwarded: chosen, turns: 1, policyVersion, lane: method, way, isShadow },
});

describe('a conversation keeps its ranker', () => {
  it.each(['first', 'both'] as const)(
    'a conversation that started with `%s` uses the same encoders later, while new conversations use the others',
    async (start) => {
      const { state, plan } = openPlanner();
      state.available = start;
      const begun = await plan({ userTurns: [clear] });
      expect(begun.policyVersion.split('/')[0]).toBe(rankedByOf(start));
      state.available = 'both';
      const later = await plan({ userTurns: [clear, next], ...remember(begun) });
      expect(new Set(state.asked)).toEqual(new Set([start]));
      expect(later.policyVersion).toBe(begun.policyVersion);
      expect(later.kReason).toBe('grown');
      const other = await plan({ userTurns: [clear] });
      expect(other.policyVersion.split('/')[0]).toBe(rankedByOf('both'));
    },
  );

  it('a turn that another ranker ranked adds no tools, and the policy version stays', async () => {
    const { state, plan } = openPlanner();
    state.available = 'both';
    const begun = await plan({ userTurns: [clear] });
    state.available = 'first';
    const later = await plan({ userTurns: [clear, next], ...remember(begun) });
    expect(later).toMatchObject({ kReason: 'frozen', forwarded: begun.forwarded });
    expect(later.policyVersion).toBe(begun.policyVersion);
    expect(later.method).toBe('semantic');
  });

  it('the priors and the policy version differ between the first encoder and both encoders', async () => {
    const { state, plan } = openPlanner();
    const first = await plan({ userTurns: [clear] });
    state.available = 'both';
    const both = await plan({ userTurns: [clear] });
    expect(first.policyVersion).toBe(`${rankedByOf('first')}/${recallPriors.semantic.version}`);
    expect(both.policyVersion).toBe(`${rankedByOf('both')}/${recallPriors.both.version}`);
  });
});
