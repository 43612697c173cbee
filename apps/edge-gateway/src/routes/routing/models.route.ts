import {
  getPreferences,
  listDisabledModels,
  modelToggle,
  modelToggleBody,
  observeModels,
  routingModelList,
  routingModelStatusList,
  toggleModel,
  type ExcludedModel,
  type ModelToggle,
  type ModelToggleBody,
  type RoutingModel,
  type RoutingModelStatus,
} from '@gateway/contracts';
import { explainUnknownProvider } from '../../request/find-nearest.ts';
import { GatewayError } from '@gateway/errors';
import type { CatalogModel } from '@gateway/model-catalog';
import {
  createRules,
  exclusionTexts,
  type ExclusionRule,
  type ListedModel,
  type Needs,
} from '@gateway/model-routing';
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
    'The chat models of the connected providers that automatic routing can choose: models of the catalog, models that a provider lists, and declared models. `excluded` lists the other models with the rule of the router that excludes them. The gateway checks the needs of a request when it arrives. `null` means unknown.',
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

/** Serves `/v1/account/routing/models`, which lists the models that automatic routing may choose. */
@Controller('/v1/account/routing/models')
@AllowAccess('api-key-or-session')
export class RoutingModelsRoute {
  readonly #services: PipelineServices;

  constructor(@Inject(PIPELINE_SERVICES) services: PipelineServices) {
    this.#services = services;
  }

  @Get()
  @Describe(listRoutingModels)
  async list(
    @FromCaller() { accountId }: AccountCaller,
  ): Promise<{ object: 'list'; data: RoutingModel[]; excluded: ExcludedModel[] }> {
    const now = Date.now();
    const { models, ruleOf } = await this.#applyRules(accountId, now);
    const ruled = models.map((listed) => ({ listed, rule: ruleOf(listed) }));
    const data = ruled.flatMap(({ listed, rule }) =>
      rule === undefined ? [renderRoutingModel(listed.model, now)] : [],
    );
    const excluded = ruled.flatMap(({ listed: { id }, rule }) =>
      rule === undefined ? [] : [{ id, excluded_by: rule, reason: exclusionTexts[rule] }],
    );
    return { object: 'list', data, excluded };
  }

  @Get('/status')
  @CountAs('analytics')
  @Describe(listModelStatus)
  async listStatus(
    @FromCaller() { accountId }: AccountCaller,
  ): Promise<{ object: 'list'; data: RoutingModelStatus[] }> {
    const now = Date.now();
    const [{ models, disabled, ruleOf }, observations] = await Promise.all([
      this.#applyRules(accountId, now),
      this.#observe(accountId),
    ]);
    const data = models.map((listed) => ({
      ...renderModelStatus(listed.model, !disabled.has(listed.id), observations, now),
      excluded_by: ruleOf(listed) ?? null,
    }));
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
    const { provider, modelId } = await this.#requireModel(accountId, wanted);
    const body = { provider, model_id: modelId, is_enabled: wanted.is_enabled };
    await this.#services.messaging.call(toggleModel, { accountId, actor, body });
    return { object: 'routing.model_toggle', ...body };
  }

  async #listDisabled(accountId: string): Promise<ReadonlySet<string>> {
    const { models } = await this.#services.messaging.call(listDisabledModels, { accountId });
    return new Set(models.map(({ provider, modelId }) => `${provider}/${modelId}`));
  }

  /**
   * Returns the observations of the account's models. Returns null while the request log is unavailable, so that
   * clients can still list models.
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

  /** Returns the account's chat models, with the router's rules for the account and the state of the models. */
  async #applyRules(accountId: string, now: number): Promise<RuledModels> {
    const { messaging, modelRouter, accountModels } = this.#services;
    const connected = await connectedProviders(accountId, this.#services);
    const [catalog, disabled, { preferences }] = await Promise.all([
      accountModels.open({ accountId, connected }),
      this.#listDisabled(accountId),
      messaging.call(getPreferences, { accountId }),
    ]);
    const models = modelRouter.listModels({ connected, catalog });
    const policy = {
      allowedProviders: preferences.allowed_providers,
      maxCostUsdPerMtok: preferences.max_cost_usd_per_mtok,
      turnedOff: disabled,
    };
    return { models, disabled, ruleOf: createRules({ models, needs: noNeeds, policy, pin: null, now }) };
  }

  async #requireModel(accountId: string, { provider, model_id }: ModelToggleBody): Promise<CatalogModel> {
    if (findProvider(provider) === undefined) {
      const message = explainUnknownProvider(provider);
      throw new GatewayError('invalid_field', { param: 'provider', message });
    }
    const connected = await connectedProviders(accountId, this.#services);
    const catalog = await this.#services.accountModels.open({ accountId, connected });
    const model = catalog.find(provider, model_id);
    if (model?.kind === 'chat') return model;
    throw new GatewayError('model_not_found', {
      param: 'model_id',
      message: `The provider "${provider}" has no chat model "${model_id}". GET /v1/account/routing/models/status lists the models. PUT /v1/account/models/${provider}/{model_id} declares a model.`,
    });
  }
}

interface RuledModels {
  readonly models: readonly ListedModel[];
  /** The models that the account turned off, as `<provider>/<model>`. */
  readonly disabled: ReadonlySet<string>;
  readonly ruleOf: (listed: ListedModel) => ExclusionRule | undefined;
}

/** The requirements of the smallest possible request. Larger requests exclude more models. */
const noNeeds: Needs = {
  tools: false,
  images: false,
  documents: false,
  jsonMode: false,
  streaming: false,
  thinking: false,
  inputTokens: 0,
  outputTokensMax: null,
  marksCache: false,
};
