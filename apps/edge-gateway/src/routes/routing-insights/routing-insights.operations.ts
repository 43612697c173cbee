import { recentRoutingTraceList, routingInsights, tracesQuery } from '@gateway/contracts';
import type { Operation } from '../../http/operation.ts';

export const listRoutingTraces: Operation = {
  id: 'listRoutingTraces',
  tag: 'Routing',
  summary: 'List recent decisions about tools, the newest first',
  description:
    'Of the last 30 days. Each with its ten best candidates and those that were called; the request’s detail has them all.',
  query: tracesQuery,
  answer: { status: 200, description: 'The decisions.', schema: recentRoutingTraceList },
};

export const getRoutingInsights: Operation = {
  id: 'getRoutingInsights',
  tag: 'Routing',
  summary: 'Read which models recalled best, answered fastest and were used most',
  description:
    'What your own requests of the last 7 days (UTC, today included) showed. `tool_recall` is observed on requests whose tools were pruned: a model seldom calls a tool that it does not see, so it is an upper bound.',
  answer: { status: 200, description: 'The insights.', schema: routingInsights },
};
