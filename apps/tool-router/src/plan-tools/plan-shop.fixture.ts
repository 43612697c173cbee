import { hashToolList, type PlanToolsRequest, type ToolDefinition } from '@gateway/contracts';
import { createMetrics } from '@gateway/observability';
import { recallPriors } from '../policy/recall-prior.ts';
import { noPolicies } from '../policy/routing-policies.port.ts';
import { keywordRanker } from '../ranking/keyword-ranker.ts';
import type { ToolRanker } from '../ranking/ranker.port.ts';
import { openRouterShares } from '../shares/router-shares.ts';
import { ToolMemory } from '../tool-index/tool-memory.ts';
import { defineTool, planRequest } from '../tool-index/tools.fixture.ts';
import type { PlannedTools } from './choose-plan.ts';
import { ToolPlanner } from './plan-tools.ts';

export const verbs = ['create', 'list', 'delete', 'update', 'archive'];
export const things = [
  'invoice',
  'customer',
  'shipment',
  'warehouse',
  'coupon',
  'refund',
  'webhook',
  'payout',
];
/** 40 tools of an online shop. */
export const shop = verbs.flatMap((verb) =>
  things.map((thing) => defineTool(`${verb}_${thing}`, `${verb} a ${thing}`)),
);
export const shopNames = shop.map(({ name }) => name);

/** Plans a request with a new planner. `onRank` is called with the turn of each ranking. */
export async function plan(
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

/** Returns the names of the forwarded tools. */
export const namesOf = (tools: readonly ToolDefinition[], { forwarded }: PlannedTools): (string | null)[] =>
  forwarded.map((position) => tools[position]?.name ?? null);
/** A turn that clearly needs one tool. */
export const clear = 'Create an invoice';
