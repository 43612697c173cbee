import { listOf } from '@gateway/contracts';
import { GatewayError } from '@gateway/errors';
import type { CatalogModel, ModelCatalog, ModelKind } from '@gateway/model-catalog';
import { routingStrings } from '@gateway/model-routing';
import { Controller, Get, Inject, Query, Req } from '@nestjs/common';
import type { FastifyRequest } from 'fastify';
import type { IncomingHttpHeaders } from 'node:http';
import { z } from 'zod';
import { FromCaller, type AccountCaller } from '../../access/access.guard.ts';
import { AllowAccess, CountAs, Describe, type Operation } from '../../openapi/operation.ts';
import { PIPELINE_SERVICES, type PipelineServices } from '../../pipeline/services.ts';
import { connectedProviders } from '../../connections/open-connection.ts';
import { preferProvider } from '../../pipeline/stages/choose/choose-target.ts';
import { parseQuery } from '../../request/validate-input.ts';

/** A model in the list format that most APIs use. */
const listedModel = z
  .object({
    id: z.string().meta({ description: 'Value for `model`: `<provider>/<model>`.' }),
    object: z.literal('model'),
    created: z
      .int()
      .meta({ description: 'Release date in Unix seconds, or 0 if the release date is unknown.' }),
    owned_by: z.string(),
    kind: z.string().meta({
      description:
        'The kind of requests that the model takes: `chat` or another kind. `unknown` for a model that only the provider lists.',
    }),
  })
  .meta({ id: 'Model' });

/** A model in the format of Anthropic's model list. */
const anthropicModel = z
  .object({
    type: z.literal('model'),
    id: z.string().meta({ description: 'Value for `model`: `<provider>/<model>`.' }),
    display_name: z.string().meta({ examples: ['claude-sonnet-4-5 (anthropic)'] }),
    created_at: z.string().meta({
      description: 'Release date, RFC 3339; `1970-01-01T00:00:00Z` if the release date is unknown.',
    }),
  })
  .meta({ id: 'AnthropicModel' });

const anthropicModels = z
  .object({
    data: z.array(anthropicModel),
    has_more: z.literal(false).meta({ description: 'Always `false`: the list is complete.' }),
    first_id: z.string().nullable(),
    last_id: z.string().nullable(),
  })
  .meta({ id: 'AnthropicModelList' });

const shapes =
  'Requests with the header `anthropic-version`, or with the API key only in `x-api-key`, get the format of Anthropic’s API, which Claude Code reads.';

/**
 * Query parameters of the models route. The models route ignores unknown parameters, because clients written
 * for other gateways send paging parameters.
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
  description: `Lists the models of the connected providers: models of the catalog, models that a provider lists, and models that the account declares. Also lists the names with which the gateway chooses the model (\`svc/auto\`, \`svc/cheap\`, \`svc/fast\`, \`svc/capable\`). \`GET /v1/account/routing/models\` lists the models that the gateway chooses from. ${shapes} Anthropic’s format lists chat models only.`,
  query: listModelsQuery,
  takesKeyHeader: true,
  answer: {
    status: 200,
    description: 'The models.',
    schema: z.union([listOf(listedModel), anthropicModels]),
  },
};

const getModel: Operation = {
  id: 'getModel',
  tag: 'Models',
  summary: 'Read one model',
  description: shapes,
  takesKeyHeader: true,
  params: z.object({
    id: z.string().meta({
      description: 'The model’s id. Slashes may be percent-encoded.',
      examples: ['sandbox/sandbox-1'],
    }),
  }),
  answer: { status: 200, description: 'The model.', schema: z.union([listedModel, anthropicModel]) },
  errors: ['model_not_found'],
};

interface ListedModel {
  readonly id: string;
  readonly object: 'model';
  readonly created: number;
  readonly owned_by: string;
  readonly kind: ModelKind | 'unknown';
}

/** Serves `GET /v1/models` and `/v1/models/{id}`, with the models of the caller's connected providers. */
@Controller('/v1/models')
@CountAs('requests')
export class ModelsRoute {
  readonly #services: PipelineServices;

  constructor(@Inject(PIPELINE_SERVICES) services: PipelineServices) {
    this.#services = services;
  }

  @Get()
  @Describe(listModels)
  @AllowAccess('api-key')
  async list(
    @FromCaller() { accountId }: AccountCaller,
    @Query() query: unknown,
    @Req() { headers }: FastifyRequest,
  ): Promise<{ object: 'list'; data: ListedModel[] } | z.output<typeof anthropicModels>> {
    const { live } = parseQuery(listModelsQuery, query);
    const { connected, catalog } = await this.#open(accountId);
    const models = [...connected].flatMap((provider) => catalog.modelsOf(provider));
    const further = live === 'true' ? await this.#listLive(accountId, [...connected], catalog) : [];
    const choices = connected.size === 0 ? [] : routingStrings.map(renderChoice);
    const data = [...models.map(renderModel), ...further, ...choices];
    return isAnthropicClient(headers) ? renderAnthropicList(data) : { object: 'list', data };
  }

  /** The account's connected providers, and the catalogue with the account's own models. */
  async #open(accountId: string): Promise<{ connected: ReadonlySet<string>; catalog: ModelCatalog }> {
    const connected = await connectedProviders(accountId, this.#services);
    return { connected, catalog: await this.#services.accountModels.open({ accountId, connected }) };
  }

  /** Models in the providers' lists that are missing from the catalogue. */
  async #listLive(
    accountId: string,
    connected: readonly string[],
    catalog: ModelCatalog,
  ): Promise<ListedModel[]> {
    const lists = connected.map(async (provider) => {
      const ids = await this.#services.liveModels.list(accountId, provider);
      const unknown = ids.filter((id) => catalog.find(provider, id) === undefined);
      return unknown.map((id) => renderLiveModel(provider, id));
    });
    return (await Promise.all(lists)).flat();
  }

  /** A model id may contain slashes, so it is the entire rest of the path, with or without percent encoding. */
  @Get('/*')
  @Describe(getModel)
  @AllowAccess('api-key')
  async find(
    @FromCaller() caller: AccountCaller,
    @Req() request: FastifyRequest,
  ): Promise<ListedModel | z.output<typeof anthropicModel>> {
    const found = await this.#find((request.params as Record<string, string>)['*'] ?? '', caller);
    return isAnthropicClient(request.headers) ? renderAnthropic(found) : found;
  }

  async #find(id: string, caller: AccountCaller): Promise<ListedModel> {
    const { connected, catalog } = await this.#open(caller.accountId);
    if (connected.size > 0 && routingStrings.includes(id)) return renderChoice(id);
    const slash = id.indexOf('/');
    const named = catalog.find(id.slice(0, slash), id.slice(slash + 1));
    const bare = preferProvider(catalog.providersOf(id).filter((provider) => connected.has(provider)));
    const model = slash > 0 && named ? named : catalog.find(bare ?? '', id);
    if (model && connected.has(model.provider)) return renderModel(model);
    throw new GatewayError('model_not_found', {
      param: 'model',
      message: `No connected provider has the model "${id}". GET /v1/models lists the models.`,
    });
  }
}

/** Anthropic's clients send `anthropic-version` with every request. */
function isAnthropicClient(headers: IncomingHttpHeaders): boolean {
  if (headers['anthropic-version'] !== undefined) return true;
  return headers['x-api-key'] !== undefined && headers.authorization === undefined;
}

/** Renders the models that a client of the messages format can call. */
function renderAnthropicList(models: readonly ListedModel[]): z.output<typeof anthropicModels> {
  const data = models.filter(({ kind }) => kind === 'chat' || kind === 'unknown').map(renderAnthropic);
  return { data, has_more: false, first_id: data[0]?.id ?? null, last_id: data.at(-1)?.id ?? null };
}

function renderAnthropic({ id, created, owned_by }: ListedModel): z.output<typeof anthropicModel> {
  const name = id.slice(id.indexOf('/') + 1);
  const created_at = new Date(created * 1000).toISOString().replace('.000Z', 'Z');
  return { type: 'model', id, display_name: `${name} (${owned_by})`, created_at };
}

/** Renders a name such as `svc/auto`, which leaves the choice of the model to the gateway. */
function renderChoice(id: string): ListedModel {
  return { id, object: 'model', created: 0, owned_by: 'svc', kind: 'chat' };
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
