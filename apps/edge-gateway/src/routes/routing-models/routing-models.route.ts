import {
  listDisabledModels,
  modelToggleBody,
  toggleModel,
  type ModelToggle,
  type ModelToggleBody,
  type RoutingModel,
  type RoutingModelStatus,
} from '@gateway/contracts';
import { GatewayError } from '@gateway/errors';
import type { CatalogModel } from '@gateway/model-catalog';
import { findProvider } from '@gateway/providers';
import { Controller, Get, HttpCode, Inject, Post, Req } from '@nestjs/common';
import type { FastifyRequest } from 'fastify';
import { AllowAccess } from '../../http/access.ts';
import type { AccountCaller } from '../../http/account-caller.ts';
import { FromCaller } from '../../http/caller.decorator.ts';
import { Describe } from '../../http/operation.ts';
import { readJson } from '../../http/zod-input.ts';
import type { PipelineServices } from '../../pipeline/services.ts';
import { connectedProviders } from '../../pipeline/stages/choose/choose.ts';
import { tokens } from '../../tokens.ts';
import { renderModelStatus, renderRoutingModel } from './render-routing-model.ts';
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
    return { object: 'list', data: (await this.#chatModels(accountId)).map(renderRoutingModel) };
  }

  @Get('/status')
  @Describe(listModelStatus)
  async listStatus(
    @FromCaller() { accountId }: AccountCaller,
  ): Promise<{ object: 'list'; data: RoutingModelStatus[] }> {
    const [models, disabled] = await Promise.all([
      this.#chatModels(accountId),
      this.#services.messaging.call(listDisabledModels, { accountId }),
    ]);
    const disabledIds = new Set(disabled.models.map(({ provider, modelId }) => `${provider}/${modelId}`));
    const data = models.map((model) =>
      renderModelStatus(model, !disabledIds.has(`${model.provider}/${model.modelId}`)),
    );
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
