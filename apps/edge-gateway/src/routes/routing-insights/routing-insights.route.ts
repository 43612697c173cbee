import {
  describeCalibration,
  getPreferences,
  listRoutingTraces,
  observeModels,
  tracesQuery,
  type RecentRoutingTrace,
  type RoutingCalibration,
  type RoutingInsights,
} from '@gateway/contracts';
import type { Messaging } from '@gateway/messaging';
import { Controller, Get, Inject, Query } from '@nestjs/common';
import { AllowAccess, Describe } from '../../openapi/operation.ts';
import type { AccountCaller } from '../../access/access.guard.ts';
import { FromCaller } from '../../access/access.guard.ts';
import { parseInput } from '../../request/read-body.ts';
import { tokens } from '../../tokens.ts';
import { chooseLastDays } from '../../request/usage-span.ts';
import { chooseInsights } from './choose-insights.ts';
import * as operations from './routing-insights.operations.ts';

const traceDays = 30;
/** What models showed is told of these days, here and in their status. */
export const observedDays = 7;

/** `/v1/account/routing/traces`, `/insights` and `/calibration`: what routing decided, and what became of it. */
@Controller('/v1/account/routing')
@AllowAccess('api-key-or-session')
export class RoutingInsightsRoute {
  readonly #messaging: Messaging;

  constructor(@Inject(tokens.messaging) messaging: Messaging) {
    this.#messaging = messaging;
  }

  @Get('/traces')
  @Describe(operations.listRoutingTraces)
  async listTraces(
    @FromCaller() { accountId }: AccountCaller,
    @Query() query: unknown,
  ): Promise<{ object: 'list'; data: readonly RecentRoutingTrace[] }> {
    const { limit } = parseInput(tracesQuery, query);
    const span = chooseLastDays(traceDays, Date.now());
    const { traces } = await this.#messaging.call(listRoutingTraces, { accountId, ...span, limit });
    return { object: 'list', data: traces };
  }

  @Get('/insights')
  @Describe(operations.getRoutingInsights)
  async readInsights(@FromCaller() { accountId }: AccountCaller): Promise<RoutingInsights> {
    const span = chooseLastDays(observedDays, Date.now());
    const { models } = await this.#messaging.call(observeModels, { accountId, ...span });
    return { object: 'routing.insights', ...span, ...chooseInsights(models) };
  }

  @Get('/calibration')
  @Describe(operations.getRoutingCalibration)
  async readCalibration(@FromCaller() { accountId }: AccountCaller): Promise<RoutingCalibration> {
    const { preferences } = await this.#messaging.call(getPreferences, { accountId });
    const recallTarget = preferences.pruning.recall_target;
    const shown = await this.#messaging.call(describeCalibration, { accountId, recallTarget });
    const { version, updatedAt, policy, buckets } = shown;
    return {
      object: 'routing.calibration',
      recall_target: recallTarget,
      version,
      policy,
      buckets,
      updated_at: updatedAt,
    };
  }
}
