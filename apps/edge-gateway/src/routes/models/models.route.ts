import { listOf } from '@gateway/contracts';
import { GatewayError } from '@gateway/errors';
import type { CatalogModel, ModelKind } from '@gateway/model-catalog';
import { Controller, Get, Inject, Query, Req } from '@nestjs/common';
import type { FastifyRequest } from 'fastify';
import { z } from 'zod';
import { FromCaller, type AccountCaller } from '../../access/access.guard.ts';
import { AllowAccess, CountAs, Describe, type Operation } from '../../openapi/operation.ts';
import { PIPELINE_SERVICES, type PipelineServices } from '../../pipeline/services.ts';
import { connectedProviders } from '../../connections/open-connection.ts';
import { parseQuery } from '../../request/read-body.ts';
import { LiveModels } from '../../routing/live-models.ts';

/** A model in the list format that most APIs use. */
const listedModel = z
  .object({
    id: z.string().meta({ description: 'Value for `model`: `<provider>/<model>`.' }),
    object: z.literal('model'),
    created: z.int().meta({ description: 'Unix seconds; 0 if the release date is unknown.' }),
    owned_by: z.string(),
    kind: z.string().meta({
      description:
        'The kind of requests that the model takes: `chat` or another kind. `unknown` for a model that only the provider lists.',
    }),
  })
  .meta({ id: 'Model' });

/**
 * Query parameters of the models route. Clients written for other gateways send paging parameters, so the
 * models route ignores unknown parameters.
 */
const listModelsQuery = z.object({
  live: z.enum(['true', 'false']).default('false').meta({
    description:
      '`true` adds models that the providers list and the catalog does not contain yet. The gateway queries the providers with your credentials at most once a minute. A provider that does not respond is left out.',
  }),
});

const listModels: Operation = {
  id: 'listModels',
  tag: 'Models',
  summary: 'List the models of the connected providers',
  description:
    'Every model name that `model` takes. It also takes `svc/auto`, `svc/cheap`, `svc/fast` and `svc/capable`; `GET /v1/account/routing/models` lists the models that these choose from.',
  query: listModelsQuery,
  answer: {
    status: 200,
    description: 'The models.',
    schema: listOf(listedModel),
  },
};

const getModel: Operation = {
  id: 'getModel',
  tag: 'Models',
  summary: 'Read one model',
  params: z.object({
    id: z.string().meta({ description: 'The model’s id. Slashes may be percent-encoded.' }),
  }),
  answer: { status: 200, description: 'The model.', schema: listedModel },
  errors: ['model_not_found'],
};

interface ListedModel {
  readonly id: string;
  readonly object: 'model';
  readonly created: number;
  readonly owned_by: string;
  readonly kind: ModelKind | 'unknown';
}

/** `GET /v1/models` and `/v1/models/{id}`: the models available from the caller's connected providers. */
@Controller('/v1/models')
@CountAs('requests')
export class ModelsRoute {
  readonly #services: PipelineServices;
  readonly #liveModels: LiveModels;

  constructor(@Inject(PIPELINE_SERVICES) services: PipelineServices) {
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
    const { live } = parseQuery(listModelsQuery, query);
    const connected = [...(await connectedProviders(accountId, this.#services))];
    const models = connected.flatMap((provider) => this.#services.catalog.modelsOf(provider));
    const further = live === 'true' ? await this.#listLive(accountId, connected) : [];
    return { object: 'list', data: [...models.map(renderModel), ...further] };
  }

  /** Models in the providers' lists that are missing from the catalogue. */
  async #listLive(accountId: string, connected: readonly string[]): Promise<ListedModel[]> {
    const { catalog } = this.#services;
    const lists = connected.map(async (provider) => {
      const ids = await this.#liveModels.list(accountId, provider);
      const unknown = ids.filter((id) => catalog.find(provider, id) === undefined);
      return unknown.map((id) => renderLiveModel(provider, id));
    });
    return (await Promise.all(lists)).flat();
  }

  /**
   * Model ids contain slashes, so the model id is the whole rest of the path, with or without percent
   * encoding.
   */
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
      message: `No connected provider has the model "${id}". GET /v1/models lists the models.`,
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
