import {
  describeCalibration,
  getPreferences,
  listRoutingTraces,
  observeModels,
  recentRoutingTraceList,
  routingCalibration,
  routingInsights,
  tracesQuery,
  type ModelObservation,
  type RecentRoutingTrace,
  type RoutingCalibration,
  type RoutingInsights,
} from '@gateway/contracts';
import type { Messaging } from '@gateway/messaging';
import { Controller, Get, Inject, Query } from '@nestjs/common';
import { FromCaller, type AccountCaller } from '../../access/access.guard.ts';
import { MESSAGING } from '../../access/tokens.ts';
import { AllowAccess, CountAs, Describe, type Operation } from '../../openapi/operation.ts';
import { parseQuery } from '../../request/validate-input.ts';
import { chooseLastDays } from '../../request/usage-span.ts';
import { observedDays } from '../../routing/account-routing.ts';

const tracesOperation: Operation = {
  id: 'listRoutingTraces',
  tag: 'Routing',
  summary: 'List recent decisions about tools, newest first',
  description:
    'Covers the last 30 days. Filters can be combined. Each decision shows its ten best candidates and the called tools. The request’s detail shows all candidates.',
  query: tracesQuery,
  answer: { status: 200, description: 'The decisions.', schema: recentRoutingTraceList },
};

const insightsOperation: Operation = {
  id: 'getRoutingInsights',
  tag: 'Routing',
  summary: 'Read the models with the best recall, the fastest responses and the most use',
  description:
    'Based on your own requests of the last 7 days (UTC, including today). `tool_recall` is the effective recall, observed on requests whose tools were pruned: a tool that the model recovered counts as served. It is an upper bound, because a model rarely calls a tool that it does not see.',
  answer: { status: 200, description: 'The insights.', schema: routingInsights },
};

const calibrationOperation: Operation = {
  id: 'getRoutingCalibration',
  tag: 'Routing',
  summary: 'Read the measured K (number of tools to forward) and its data',
  description:
    'Measured on shadow sessions of the last 30 days. In a shadow session the gateway ranks the tools and still forwards all of them, so the calls of the model show the ranks of the needed tools. A bucket combines the intent of a session’s first turn with the size of its tool list. Its K is the smallest K whose lower bound of recall meets the account’s `recall_target`. The bound is exact, one-sided, 95%, with sessions as the unit. Buckets with too few sessions use the shipped priors (`basis: "prior"`): fewer than 29, 59 or 299 sessions for a target of 90, 95 or 99%.',
  answer: { status: 200, description: 'The calibration.', schema: routingCalibration },
};

const traceDays = 30;

/**
 * Serves `/v1/account/routing/traces`, `/insights` and `/calibration`, with routing decisions and their outcomes.
 */
@Controller('/v1/account/routing')
@AllowAccess('api-key-or-session')
@CountAs('analytics')
export class RoutingInsightsRoute {
  readonly #messaging: Messaging;

  constructor(@Inject(MESSAGING) messaging: Messaging) {
    this.#messaging = messaging;
  }

  @Get('/traces')
  @Describe(tracesOperation)
  async listTraces(
    @FromCaller() { accountId }: AccountCaller,
    @Query() query: unknown,
  ): Promise<{ object: 'list'; data: readonly RecentRoutingTrace[] }> {
    const { k_reason: reason, ...given } = parseQuery(tracesQuery, query);
    const span = chooseLastDays(traceDays, Date.now());
    const filter = reason === undefined ? given : { ...given, reason };
    const { traces } = await this.#messaging.call(listRoutingTraces, { accountId, ...span, ...filter });
    return { object: 'list', data: traces };
  }

  @Get('/insights')
  @Describe(insightsOperation)
  async readInsights(@FromCaller() { accountId }: AccountCaller): Promise<RoutingInsights> {
    const span = chooseLastDays(observedDays, Date.now());
    const { models } = await this.#messaging.call(observeModels, { accountId, ...span });
    return { object: 'routing.insights', ...span, ...chooseInsights(models) };
  }

  @Get('/calibration')
  @Describe(calibrationOperation)
  async readCalibration(@FromCaller() { accountId }: AccountCaller): Promise<RoutingCalibration> {
    const { preferences } = await this.#messaging.call(getPreferences, { accountId });
    const { recall_target } = preferences.pruning;
    const shown = await this.#messaging.call(describeCalibration, { accountId, recallTarget: recall_target });
    const { version, recallTarget, recoveryRate, updatedAt, policy, buckets } = shown;
    return {
      object: 'routing.calibration',
      recall_target: recallTarget,
      recovery_rate: recoveryRate,
      version,
      policy,
      buckets,
      updated_at: updatedAt,
    };
  }
}

/**
 * Minimum number of requests from which a statistic about a model is computed. A statistic from fewer
 * requests would depend more on chance than on the model.
 */
export const samplesMin = 20;
const modelsMax = 5;

/**
 * Returns an account's best models, based on the account's own requests. Models with too few requests are
 * listed only in `most_used`.
 */
export function chooseInsights(
  observations: readonly ModelObservation[],
): Pick<RoutingInsights, 'samples_min' | 'best_recall' | 'fastest' | 'most_used'> {
  const all = observations.reduce((sum, { requests }) => sum + requests, 0);
  return {
    samples_min: samplesMin,
    best_recall: observations
      .filter(({ judged }) => judged >= samplesMin)
      .map((each) => ({ ...named(each), tool_recall: each.recalled / each.judged, samples: each.judged }))
      .sort((one, other) => other.tool_recall - one.tool_recall || other.samples - one.samples)
      .slice(0, modelsMax),
    fastest: observations
      .flatMap((each) =>
        each.first_token_p50_ms === null || each.streamed < samplesMin
          ? []
          : [{ ...named(each), first_token_p50_ms: each.first_token_p50_ms, samples: each.streamed }],
      )
      .sort((one, other) => one.first_token_p50_ms - other.first_token_p50_ms)
      .slice(0, modelsMax),
    most_used: observations
      .map((each) => ({ ...named(each), requests: each.requests, share: each.requests / all }))
      .sort((one, other) => other.requests - one.requests)
      .slice(0, modelsMax),
  };
}

function named({ provider, model }: ModelObservation) {
  return { provider, model_id: model };
}
