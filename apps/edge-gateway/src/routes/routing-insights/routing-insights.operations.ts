import { recentRoutingTraceList, routingCalibration, routingInsights, tracesQuery } from '@gateway/contracts';
import type { Operation } from '../../openapi/operation.ts';

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

export const getRoutingCalibration: Operation = {
  id: 'getRoutingCalibration',
  tag: 'Routing',
  summary: 'Read the measured K, and what it was measured from',
  description:
    'From shadow sessions of the last 30 days: sessions in which tools were chosen, and all of them forwarded, so that what the model then called tells at which rank the needed tools stood. A bucket is the intent of a session’s first turn and the size of its list. Its K is the smallest whose lower bound of recall (exact, one-sided, 95%, sessions as the unit) meets the account’s `recall_target`; with too few sessions shipped priors hold (`basis: "prior"`), which for 90, 95 and 99% are fewer than 29, 59 and 299.',
  answer: { status: 200, description: 'The calibration.', schema: routingCalibration },
};
