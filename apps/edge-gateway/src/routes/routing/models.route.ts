import {
  getPreferences,
  listDisabledModels,
  modelToggle,
  modelToggleBody,
  observeModels,
  routingModelList,
  routingModelStatusList,
  toggleModel,
  type ModelToggle,
  type ModelToggleBody,
  type RoutingModel,
  type RoutingModelStatus,
  type RoutingPreferences,
} from '@gateway/contracts';
import { explainUnknownProvider } from '../../request/find-nearest.ts';
import { GatewayError } from '@gateway/errors';
import { pricesAt, type CatalogModel } from '@gateway/model-catalog';
import { findProvider } from '@gateway/providers';
import { Controller, Get, HttpCode, Inject, Post, Req } from '@nestjs/common';
import type { FastifyRequest } from 'fastify';
import { FromCaller, type AccountCaller } from '../../access/access.guard.ts';
import { AllowAccess, CountAs, Describe, type Operation } from '../../openapi/operation.ts';
import { PIPELINE_SERVICES, type PipelineServices } from '../../pipeline/services.ts';
import { connectedProviders } from '../../connections/open-connection.ts';
import { readJson } from '../../request/read-body.ts';
import { chooseLastDays } from '../../request/usage-span.ts';
import { observedDays } from '../../routing/account-routing.ts';
import { renderModelStatus, renderRoutingModel, type Observations } from './render-routing-model.ts';

const listRoutingModels: Operation = {
  id: 'listRoutingModels',
  tag: 'Routing',
  summary: 'List the models that automatic routing can choose',
  description:
    'The enabled chat models of the connected providers that meet `allowed_providers` and `max_cost_usd_per_mtok`. The gateway checks the needs of a request when it arrives. `null` means unknown.',
  answer: { status: 200, description: 'The models.', schema: routingModelList },
};

const listModelStatus: Operation = {
  id: 'listRoutingModelStatus',
  tag: 'Routing',
  summary: 'List all chat models of the connected providers with their state',
  description:
    'Shows whether each model takes part in automatic routing, and measurements from your own requests of the last 7 days (UTC, including today). `null` means not measured. `first_token_*` covers streamed requests. `error_rate` counts failed and broken responses. `tool_recall` is observed on requests whose tools were pruned, and is an upper bound.',
  answer: { status: 200, description: 'The models.', schema: routingModelStatusList },
};

const toggleRoutingModel: Operation = {
  id: 'toggleRoutingModel',
  tag: 'Routing',
  summary: 'Exclude a model from automatic routing, or include it again',
  description:
    'Requests that name the model directly still work. The provider need not be connected. An alias in the catalog selects its model.',
  body: { schema: modelToggleBody },
  answer: { status: 200, description: 'The new state.', schema: modelToggle },
  errors: ['model_not_found'],
};

/** The routes `/v1/account/routing/models`, for the models that automatic routing may choose from. */
@Controller('/v1/account/routing/models')
@AllowAccess('api-key-or-session')
export class RoutingModelsRoute {
  readonly #services: PipelineServices;

  constructor(@Inject(PIPELINE_SERVICES) services: PipelineServices) {
    this.#services = services;
  }

  @Get()
  @Describe(listRoutingModels)
  async list(@FromCaller() { accountId }: AccountCaller): Promise<{ object: 'list'; data: RoutingModel[] }> {
    const { messaging } = this.#services;
    const [models, disabled, { preferences }] = await Promise.all([
      this.#chatModels(accountId),
      this.#listDisabled(accountId),
      messaging.call(getPreferences, { accountId }),
    ]);
    const now = Date.now();
    const data = models
      .filter((model) => isAllowed(model, disabled, preferences, now))
      .map((model) => renderRoutingModel(model, now));
    return { object: 'list', data };
  }

  @Get('/status')
  @CountAs('analytics')
  @Describe(listModelStatus)
  async listStatus(
    @FromCaller() { accountId }: AccountCaller,
  ): Promise<{ object: 'list'; data: RoutingModelStatus[] }> {
    const [models, disabled, observations] = await Promise.all([
      this.#chatModels(accountId),
      this.#listDisabled(accountId),
      this.#observe(accountId),
    ]);
    const now = Date.now();
    const data = models.map((model) =>
      renderModelStatus(model, !disabled.has(nameOf(model)), observations, now),
    );
    return { object: 'list', data };
  }

  @Post('/toggle')
  @HttpCode(200)
  @Describe(toggleRoutingModel)
  async toggle(
    @FromCaller() { accountId, actor }: AccountCaller,
    @Req() request: FastifyRequest,
  ): Promise<ModelToggle> {
    const wanted = await readJson(request, modelToggleBody);
    const { provider, modelId } = this.#requireModel(wanted);
    const body = { provider, model_id: modelId, is_enabled: wanted.is_enabled };
    await this.#services.messaging.call(toggleModel, { accountId, actor, body });
    return { object: 'routing.model_toggle', ...body };
  }

  async #listDisabled(accountId: string): Promise<ReadonlySet<string>> {
    const { models } = await this.#services.messaging.call(listDisabledModels, { accountId });
    return new Set(models.map(({ provider, modelId }) => `${provider}/${modelId}`));
  }

  /**
   * Returns the observations of the account's models. Returns null while the request log is unavailable,
   * because the model list must not depend on the log.
   */
  async #observe(accountId: string): Promise<Observations> {
    try {
      const span = chooseLastDays(observedDays, Date.now());
      const { models } = await this.#services.messaging.call(observeModels, { accountId, ...span });
      return new Map(models.map((each) => [`${each.provider}/${each.model}`, each]));
    } catch (error) {
      if (error instanceof GatewayError && error.code === 'service_unavailable') return null;
      throw error;
    }
  }

  async #chatModels(accountId: string): Promise<CatalogModel[]> {
    const connected = await connectedProviders(accountId, this.#services);
    return [...connected]
      .flatMap((provider) => this.#services.catalog.modelsOf(provider))
      .filter((model) => model.kind === 'chat');
  }

  #requireModel({ provider, model_id }: ModelToggleBody): CatalogModel {
    if (findProvider(provider) === undefined) {
      const message = explainUnknownProvider(provider);
      throw new GatewayError('invalid_field', { param: 'provider', message });
    }
    const model = this.#services.catalog.find(provider, model_id);
    if (model?.kind === 'chat') return model;
    throw new GatewayError('model_not_found', {
      param: 'model_id',
      message: `The provider "${provider}" has no chat model "${model_id}" in the catalog.`,
    });
  }
}

function nameOf({ provider, modelId }: CatalogModel): string {
  return `${provider}/${modelId}`;
}

/**
 * Returns whether the account's rules allow the model. The capabilities that a request needs are checked only
 * when the request arrives.
 */
function isAllowed(
  model: CatalogModel,
  disabled: ReadonlySet<string>,
  preferences: RoutingPreferences,
  now: number,
): boolean {
  const { allowed_providers: allowed, max_cost_usd_per_mtok: max } = preferences;
  if (disabled.has(nameOf(model)) || allowed?.includes(model.provider) === false) return false;
  const prices = model.prices && pricesAt(model.prices, now);
  return max === null || (prices !== null && Math.max(prices.input, prices.output) <= max);
}
