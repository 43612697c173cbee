import {
  getPreferences,
  listDisabledModels,
  modelToggleBody,
  observeModels,
  toggleModel,
  type ModelToggle,
  type ModelToggleBody,
  type RoutingModel,
  type RoutingModelStatus,
  type RoutingPreferences,
} from '@gateway/contracts';
import { GatewayError } from '@gateway/errors';
import type { CatalogModel } from '@gateway/model-catalog';
import { findProvider } from '@gateway/providers';
import { Controller, Get, HttpCode, Inject, Post, Req } from '@nestjs/common';
import type { FastifyRequest } from 'fastify';
import { AllowAccess, Describe } from '../../openapi/operation.ts';
import type { AccountCaller } from '../../access/access.guard.ts';
import { FromCaller } from '../../access/access.guard.ts';
import { readJson } from '../../request/read-body.ts';
import type { PipelineServices } from '../../pipeline/services.ts';
import { connectedProviders } from '../../pipeline/stages/choose/choose.ts';
import { tokens } from '../../tokens.ts';
import { chooseLastDays } from '../../request/usage-span.ts';
import { observedDays } from '../routing-insights/routing-insights.route.ts';
import { renderModelStatus, renderRoutingModel, type Observations } from './render-routing-model.ts';
import { listModelStatus, listRoutingModels, toggleRoutingModel } from './routing-models.operations.ts';

/** `/v1/account/routing/models`: what automatic routing may choose from. */
@Controller('/v1/account/routing/models')
@AllowAccess('api-key-or-session')
export class RoutingModelsRoute {
  readonly #services: PipelineServices;

  constructor(@Inject(tokens.pipeline) services: PipelineServices) {
    this.#services = services;
  }

  @Get()
  @Describe(listRoutingModels)
  async list(@FromCaller() { accountId }: AccountCaller): Promise<{ object: 'list'; data: RoutingModel[] }> {
    const { messaging } = this.#services;
    const [models, turnedOff, { preferences }] = await Promise.all([
      this.#chatModels(accountId),
      this.#listTurnedOff(accountId),
      messaging.call(getPreferences, { accountId }),
    ]);
    const data = models.filter((model) => mayBeChosen(model, turnedOff, preferences)).map(renderRoutingModel);
    return { object: 'list', data };
  }

  @Get('/status')
  @Describe(listModelStatus)
  async listStatus(
    @FromCaller() { accountId }: AccountCaller,
  ): Promise<{ object: 'list'; data: RoutingModelStatus[] }> {
    const [models, turnedOff, observations] = await Promise.all([
      this.#chatModels(accountId),
      this.#listTurnedOff(accountId),
      this.#observe(accountId),
    ]);
    const data = models.map((model) => renderModelStatus(model, !turnedOff.has(nameOf(model)), observations));
    return { object: 'list', data };
  }

  @Post('/toggle')
  @HttpCode(200)
  @Describe(toggleRoutingModel)
  async toggle(
    @FromCaller() { accountId }: AccountCaller,
    @Req() request: FastifyRequest,
  ): Promise<ModelToggle> {
    const wanted = await readJson(request, modelToggleBody);
    const { provider, modelId } = this.#requireModel(wanted);
    const body = { provider, model_id: modelId, is_enabled: wanted.is_enabled };
    await this.#services.messaging.call(toggleModel, { accountId, body });
    return { object: 'routing.model_toggle', ...body };
  }

  async #listTurnedOff(accountId: string): Promise<ReadonlySet<string>> {
    const { models } = await this.#services.messaging.call(listDisabledModels, { accountId });
    return new Set(models.map(({ provider, modelId }) => `${provider}/${modelId}`));
  }

  /** The list of models does not wait for the log to be back. */
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
      const message = `The provider "${provider}" is not known.`;
      throw new GatewayError('invalid_field', { param: 'provider', message });
    }
    const model = this.#services.catalog.find(provider, model_id);
    if (model?.kind === 'chat') return model;
    throw new GatewayError('model_not_found', {
      param: 'model_id',
      message: `The provider "${provider}" has no chat model "${model_id}" in the catalogue.`,
    });
  }
}

function nameOf({ provider, modelId }: CatalogModel): string {
  return `${provider}/${modelId}`;
}

/** By the account's own rules; what a request needs comes on top of them. */
function mayBeChosen(
  model: CatalogModel,
  turnedOff: ReadonlySet<string>,
  preferences: RoutingPreferences,
): boolean {
  const { allowed_providers: allowed, max_cost_usd_per_mtok: max } = preferences;
  if (turnedOff.has(nameOf(model)) || allowed?.includes(model.provider) === false) return false;
  return max === null || (model.prices !== null && Math.max(model.prices.input, model.prices.output) <= max);
}
