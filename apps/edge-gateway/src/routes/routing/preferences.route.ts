import {
  getPreferences,
  routingPreferences,
  updatePreferences,
  updatePreferencesBody,
  type RoutingPreferences,
  type UpdatePreferencesBody,
} from '@gateway/contracts';
import { GatewayError } from '@gateway/errors';
import type { Messaging } from '@gateway/messaging';
import type { ModelCatalog } from '@gateway/model-catalog';
import { findProvider, providerNames } from '@gateway/providers';
import { Controller, Get, Inject, Put, Req } from '@nestjs/common';
import type { FastifyRequest } from 'fastify';
import { FromCaller, type AccountCaller } from '../../access/access.guard.ts';
import { MESSAGING, MODEL_CATALOG } from '../../access/tokens.ts';
import { AllowAccess, Describe, type Operation } from '../../openapi/operation.ts';
import { readJson } from '../../request/read-body.ts';

const readPreferences: Operation = {
  id: 'getRoutingPreferences',
  tag: 'Routing',
  summary: 'Read the routing preferences',
  answer: { status: 200, description: 'The preferences.', schema: routingPreferences },
};

const changePreferences: Operation = {
  id: 'updateRoutingPreferences',
  tag: 'Routing',
  summary: 'Change the routing preferences',
  description:
    'Fields left out do not change, also inside `pruning`, `compression`, `caching` and `responses`. `mode` sets how `svc/auto` chooses a model: `auto` uses the complexity of the task, and the other values work like `svc/cheap`, `svc/fast` and `svc/capable`. `fallbacks` are models: `<provider>/<model>` or a catalog name without provider. `on_budget_exhausted` applies when a saved-token budget is used up: `"pass"` sends requests unoptimized, and `"reject"` returns a 402.',
  body: { schema: updatePreferencesBody },
  answer: { status: 200, description: 'All preferences after the change.', schema: routingPreferences },
};

/** Serves `/v1/account/routing/preferences`, with an account's rules for choosing models, tools and schemas. */
@Controller('/v1/account/routing/preferences')
@AllowAccess('api-key-or-session')
export class RoutingPreferencesRoute {
  readonly #messaging: Messaging;
  readonly #catalog: ModelCatalog;

  constructor(@Inject(MESSAGING) messaging: Messaging, @Inject(MODEL_CATALOG) catalog: ModelCatalog) {
    this.#messaging = messaging;
    this.#catalog = catalog;
  }

  @Get()
  @Describe(readPreferences)
  async read(@FromCaller() { accountId }: AccountCaller): Promise<RoutingPreferences> {
    return (await this.#messaging.call(getPreferences, { accountId })).preferences;
  }

  @Put()
  @Describe(changePreferences)
  async change(
    @FromCaller() { accountId, actor }: AccountCaller,
    @Req() request: FastifyRequest,
  ): Promise<RoutingPreferences> {
    const body = await readJson(request, updatePreferencesBody);
    requireKnownNames(body, this.#catalog);
    return (await this.#messaging.call(updatePreferences, { accountId, actor, body })).preferences;
  }
}

/**
 * Throws `invalid_field` for an unknown allowed provider, for a fallback that does not serve chat requests, and for
 * duplicates. A fallback may name a model outside the catalogue if the name of a known provider precedes the model.
 */
export function requireKnownNames(
  { allowed_providers, provider_order, fallbacks }: UpdatePreferencesBody,
  catalog: Pick<ModelCatalog, 'find' | 'providersOf'>,
): void {
  for (const [field, names] of Object.entries({ allowed_providers, provider_order }))
    requireKnownProviders(field, names ?? []);
  for (const [index, model] of (fallbacks ?? []).entries()) {
    const param = `fallbacks[${index}]`;
    if (!isChatModel(model, catalog))
      throw invalid(
        param,
        `"${model}" is not a chat model. Use <provider>/<model>, or a model of GET /v1/models.`,
      );
    if (fallbacks?.indexOf(model) !== index) throw invalid(param, `The model "${model}" is listed twice.`);
  }
}

function requireKnownProviders(field: string, names: readonly string[]): void {
  for (const [index, name] of names.entries()) {
    const param = `${field}[${index}]`;
    if (findProvider(name) === undefined)
      throw invalid(
        param,
        `The provider "${name}" is unknown. Known providers: ${providerNames.join(', ')}.`,
      );
    if (names.indexOf(name) !== index) throw invalid(param, `The provider "${name}" is listed twice.`);
  }
}

function isChatModel(model: string, catalog: Pick<ModelCatalog, 'find' | 'providersOf'>): boolean {
  const slash = model.indexOf('/');
  const provider = slash > 0 ? findProvider(model.slice(0, slash)) : undefined;
  if (provider === undefined) return catalog.providersOf(model, 'chat').length > 0;
  const modelId = model.slice(slash + 1);
  const known = catalog.find(provider.name, modelId);
  return modelId.trim() !== '' && (known === undefined || known.kind === 'chat');
}

function invalid(param: string, message: string): GatewayError {
  return new GatewayError('invalid_field', { param, message });
}
