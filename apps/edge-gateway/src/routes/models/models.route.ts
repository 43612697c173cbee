import { GatewayError } from '@gateway/errors';
import type { CatalogModel, ModelKind } from '@gateway/model-catalog';
import { Controller, Get, Inject, Query, Req, UseGuards } from '@nestjs/common';
import type { FastifyRequest } from 'fastify';
import { AllowAccess, Describe } from '../../openapi/operation.ts';
import type { AccountCaller } from '../../access/access.guard.ts';
import { FromCaller } from '../../access/access.guard.ts';
import { parseInput } from '../../request/read-body.ts';
import { RateLimitGuard } from '../../access/rate-limit.guard.ts';
import type { PipelineServices } from '../../pipeline/services.ts';
import { connectedProviders } from '../../pipeline/stages/choose/choose.ts';
import { LiveModels } from '../../routing/live-models.ts';
import { tokens } from '../../tokens.ts';
import { getModel, listModels, listModelsQuery } from './models.operations.ts';

/** A model in the common list format. Its id is what `model` takes: `<provider>/<model>`. */
interface ListedModel {
  readonly id: string;
  readonly object: 'model';
  /** Unix seconds; 0 where the release date is not known. */
  readonly created: number;
  readonly owned_by: string;
  /** What requests it takes: `chat` ones, or another kind. */
  readonly kind: ModelKind | 'unknown';
}

/** `GET /v1/models` and `/v1/models/{id}`: the models of the caller's connected providers. */
@Controller('/v1/models')
@UseGuards(RateLimitGuard)
export class ModelsRoute {
  readonly #services: PipelineServices;
  readonly #liveModels: LiveModels;

  constructor(@Inject(tokens.pipeline) services: PipelineServices) {
    this.#services = services;
    this.#liveModels = new LiveModels(services);
  }

  @Get()
  @Describe(listModels)
  @AllowAccess('api-key')
  async list(
    @FromCaller() { accountId }: AccountCaller,
    @Query() query: unknown,
  ): Promise<{ object: 'list'; data: ListedModel[] }> {
    const { live } = parseInput(listModelsQuery, query);
    const connected = [...(await connectedProviders(accountId, this.#services))];
    const models = connected.flatMap((provider) => this.#services.catalog.modelsOf(provider));
    const further = live === 'true' ? await this.#listLive(accountId, connected) : [];
    return { object: 'list', data: [...models.map(renderModel), ...further] };
  }

  /** What providers list themselves and the catalogue does not know. */
  async #listLive(accountId: string, connected: readonly string[]): Promise<ListedModel[]> {
    const { catalog } = this.#services;
    const lists = connected.map(async (provider) => {
      const ids = await this.#liveModels.list(accountId, provider);
      const unknown = ids.filter((id) => catalog.find(provider, id) === undefined);
      return unknown.map((id) => renderLiveModel(provider, id));
    });
    return (await Promise.all(lists)).flat();
  }

  /** Ids hold slashes, so the rest of the path is the id, percent-encoded or not. */
  @Get('/*')
  @Describe(getModel)
  @AllowAccess('api-key')
  async find(@FromCaller() caller: AccountCaller, @Req() request: FastifyRequest): Promise<ListedModel> {
    const id = (request.params as Record<string, string>)['*'] ?? '';
    const connected = await connectedProviders(caller.accountId, this.#services);
    const slash = id.indexOf('/');
    const named = this.#services.catalog.find(id.slice(0, slash), id.slice(slash + 1));
    const bare = this.#services.catalog.providersOf(id).filter((provider) => connected.has(provider));
    const model =
      slash > 0 && named
        ? named
        : bare.length === 1
          ? this.#services.catalog.find(bare[0] ?? '', id)
          : undefined;
    if (model && connected.has(model.provider)) return renderModel(model);
    throw new GatewayError('model_not_found', {
      param: 'model',
      message: `No connected provider has the model "${id}".`,
    });
  }
}

function renderLiveModel(provider: string, id: string): ListedModel {
  return { id: `${provider}/${id}`, object: 'model', created: 0, owned_by: provider, kind: 'unknown' };
}

function renderModel(model: CatalogModel): ListedModel {
  const released = model.releasedAt === null ? 0 : Math.floor(Date.parse(model.releasedAt) / 1000);
  return {
    id: `${model.provider}/${model.modelId}`,
    object: 'model',
    created: released,
    owned_by: model.provider,
    kind: model.kind,
  };
}
