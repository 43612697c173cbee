import { GatewayError } from '@gateway/errors';
import type { ClientFormat, ProviderFormat } from '@gateway/interchange';
import { takesToolsOn, type ModelCatalog } from '@gateway/model-catalog';
import {
  findProvider,
  formatsOf,
  providerNames,
  proxyRouteOf,
  type Provider,
  type ProxyEndpoint,
} from '@gateway/providers';
import { findNearest } from '../../../request/find-nearest.ts';
import type { Lane, Target } from '../../../request/request.ts';

/** Amazon Bedrock, which accepts a credential from the request itself. */
export const hostedProvider = 'hosted';

/** The inputs from which a provider is chosen. */
export interface WantedTarget {
  readonly model: string;
  /** True if the client specified the model. False for fallbacks, and for models that the gateway chose. */
  readonly isNamed: boolean;
  readonly format: ClientFormat;
  readonly connected: ReadonlySet<string>;
  readonly ownCredential: string | null;
  readonly tools: RequestedTools;
  /** The account's preferred providers for a model name without a provider, in descending preference. */
  readonly providerOrder?: readonly string[];
}

/** The properties of a request that determine which API of the provider is called. */
export interface RequestedTools {
  readonly hasTools: boolean;
  /** Reads the request's reasoning effort. Undefined if the request does not set a reasoning effort. */
  readonly effort: () => string | undefined;
}

/**
 * @throws GatewayError `model_not_found` if none of the known providers has the chat model. Throws
 * `provider_not_connected` if the model's provider is not connected. Throws `ambiguous_model` if several connected
 * providers have the model and no provider is preferred (`preferProvider`).
 */
export function chooseTarget(wanted: WantedTarget, catalog: ModelCatalog): Target {
  const { model, connected } = wanted;
  const named = parseNamedModel(model);
  if (named === undefined) return chooseAmong(wanted, catalog);
  if (!connected.has(named.provider.name)) throw notConnected(model, [named.provider]);
  return targetAt(named.provider, named.model, wanted, catalog);
}

/** Parses `<provider>/<model>`. Returns undefined if the part before the slash is not the name of a provider. */
export function parseNamedModel(model: string): { provider: Provider; model: string } | undefined {
  const slash = model.indexOf('/');
  const provider = slash > 0 ? findProvider(model.slice(0, slash)) : undefined;
  return provider === undefined ? undefined : { provider, model: model.slice(slash + 1) };
}

function targetAt(
  provider: Provider,
  model: string,
  { format, ownCredential, tools, isNamed }: WantedTarget,
  catalog: ModelCatalog,
): Target {
  const own = provider.name === hostedProvider ? ownCredential : null;
  // Most providers offer the Responses API only as a proxied endpoint, and only for some models.
  // On the Responses API, the gateway calls only the model that the client names, because other models may lack the Responses API.
  const route = isNamed && format === 'responses' ? proxyRouteOf(provider, 'responses', model) : undefined;
  if (route !== undefined)
    return { provider, model, lane: { kind: 'same-format', format }, path: route.path, ownCredential: own };
  const lane = chooseLane(format, provider);
  const isRefused = needsResponses(provider, model, lane.format, tools, catalog);
  return {
    provider,
    model,
    lane: isRefused ? { kind: 'translated', format: 'responses' } : lane,
    ownCredential: own,
  };
}

/** Whether the provider serves the model, or accepts the request's tools, only on the Responses API. */
function needsResponses(
  provider: Provider,
  model: string,
  format: ProviderFormat,
  { hasTools, effort }: RequestedTools,
  catalog: ModelCatalog,
): boolean {
  if (provider.chatPaths.responses === undefined || format === 'responses') return false;
  const facts = catalog.find(provider.name, model);
  if (facts?.formats.includes('responses') === true && !facts.formats.includes(format)) return true;
  if (!hasTools || facts?.toolsOn?.[format] === undefined || facts.toolsOn[format] === 'yes') return false;
  return takesToolsOn(facts, 'responses') && !takesToolsOn(facts, format, effort());
}

/**
 * Lists the connected providers of a model of any kind. Providers without the endpoint are listed only if no
 * provider has the endpoint. If the request contains a credential, the credential determines the provider.
 */
export function listOffering(
  { model, connected, ownCredential }: Pick<WantedTarget, 'model' | 'connected' | 'ownCredential'>,
  endpoint: ProxyEndpoint,
  catalog: ModelCatalog,
): readonly Provider[] {
  const usable = catalog
    .providersOf(model)
    .filter((name) => connected.has(name) && (ownCredential === null || name === hostedProvider))
    .flatMap((name) => findProvider(name) ?? []);
  const able = usable.filter((provider) => proxyRouteOf(provider, endpoint, idAt(provider, model, catalog)));
  return able.length > 0 ? able : usable;
}

/** The id of a model at a provider, as the catalogue spells it. */
export function idAt({ name }: Provider, model: string, catalog: ModelCatalog): string {
  return catalog.find(name, model)?.modelId ?? model;
}

/**
 * Chooses the provider for a bare model name. On the Responses API, planned and proxied requests for a model
 * go to the same provider.
 */
function chooseAmong(wanted: WantedTarget, catalog: ModelCatalog): Target {
  const { model, format, connected, isNamed } = wanted;
  const isProxied = isNamed && format === 'responses';
  const offering = catalog.providersOf(model, isProxied ? undefined : 'chat');
  const usable = isProxied
    ? listOffering(wanted, 'responses', catalog).map(({ name }) => name)
    : offering.filter((name) => connected.has(name));
  const [first] = usable;
  const provider = findProvider(preferProvider(usable, wanted.providerOrder) ?? '');
  if (provider) {
    const target = targetAt(provider, idAt(provider, model, catalog), wanted, catalog);
    // A request for a model that is not a chat model can only be proxied, not translated.
    const isChat = catalog.providersOf(model, 'chat').includes(provider.name);
    if (isChat || target.path !== undefined) return target;
    throw new GatewayError('model_not_found', { param: 'model', message: explainMissing(wanted, catalog) });
  }
  // ARNs and inference profiles are never in the catalogue.
  // On the converse endpoint, unknown model ids belong to the endpoint's provider.
  const hosted = format === 'converse' && offering.length === 0 ? findProvider(hostedProvider) : undefined;
  if (hosted && connected.has(hosted.name)) return targetAt(hosted, model, wanted, catalog);
  if (first !== undefined) {
    throw ambiguous(model, usable);
  }
  const known = offering.map(findProvider).filter((provider) => provider !== undefined);
  if (known.length > 0) throw notConnected(model, known);
  throw new GatewayError('model_not_found', { param: 'model', message: explainMissing(wanted, catalog) });
}

/**
 * The makers of models. Other providers may offer a maker's model under the same name. If a company has several
 * APIs, the native API comes first.
 */
const makers: readonly string[] = [
  ...['openai', 'anthropic', 'google', 'vertex', 'googleopenai', 'mistral', 'deepseek', 'xai', 'cohere'],
  ...['cohereopenai', 'moonshot', 'zai', 'perplexity'],
];

/**
 * Chooses the provider for a bare model name. Providers in the account's preferred order come first, then the maker
 * of the model. Returns undefined if neither rule applies, because providers differ in prices and privacy.
 */
export function preferProvider(usable: readonly string[], order: readonly string[] = []): string | undefined {
  if (usable.length === 1) return usable[0];
  return [...order, ...makers].find((name) => usable.includes(name));
}

function explainMissing({ model, connected }: WantedTarget, catalog: ModelCatalog): string {
  const [other] = catalog.providersOf(model);
  const kind = other === undefined ? undefined : catalog.find(other, model)?.kind;
  if (kind !== undefined) return `"${model}" is not a chat model. Its kind is "${kind}".`;
  if (model.startsWith('svc/'))
    return `"${model}" is not a routing string. Use svc/auto, svc/cheap, svc/fast or svc/capable.`;
  const suggestion = suggestModel(model, connected, catalog);
  return `No connected provider has the model "${model}". ${suggestion}GET /v1/models lists the models.`;
}

/**
 * Returns the question "Did you mean …?" for a mistyped provider or model name, or else an empty text. Only
 * models of connected providers are suggested.
 */
export function suggestModel(model: string, connected: ReadonlySet<string>, catalog: ModelCatalog): string {
  const slash = model.indexOf('/');
  const provider = slash > 0 ? findNearest(model.slice(0, slash), providerNames) : undefined;
  if (provider !== undefined) return `Did you mean "${provider}${model.slice(slash)}"? `;
  const ids = [...connected].flatMap((name) => catalog.modelsOf(name).map(({ modelId }) => modelId));
  const nearest = findNearest(model, ids);
  return nearest === undefined ? '' : `Did you mean "${nearest}"? `;
}

/** Returns the error for a model if none of the model's known providers is connected. */
export function notConnected(model: string, providers: readonly Provider[]): GatewayError {
  const names = providers.map(({ name }) => name);
  const which = ['is not connected', 'neither is connected'][names.length - 1] ?? 'none of them is connected';
  return new GatewayError('provider_not_connected', {
    param: 'model',
    message:
      `The model "${model}" needs the provider ${names.join(' or ')}${names.length === 1 ? ', which' : ';'} ${which}. ` +
      `Connect one with PUT /v1/account/providers {"provider":"${providers[0]?.name ?? ''}","api_key":"…"}.`,
  });
}

/** Returns the error for a model that several connected providers have. */
export function ambiguous(model: string, providers: readonly string[]): GatewayError {
  const choices = providers.map((name) => `${name}/${model}`).join(', ');
  const message = `More than one connected provider has the model "${model}". Choose one of: ${choices}. Or set provider_order with PUT /v1/account/routing/preferences.`;
  return new GatewayError('ambiguous_model', { param: 'model', message });
}

/**
 * Chooses the lane of the request. The client's own format comes first, because a request without translation loses
 * nothing. If the provider does not support the client's format, the gateway uses the provider's preferred format.
 * @throws GatewayError `provider_not_connected` if the provider supports none of the gateway's formats
 */
function chooseLane(format: ClientFormat, provider: Provider): Lane {
  if (provider.chatPaths[format] !== undefined) return { kind: 'same-format', format };
  const [preferred] = formatsOf(provider);
  if (preferred !== undefined) return { kind: 'translated', format: preferred };
  throw new GatewayError('provider_not_connected', {
    param: 'model',
    message: `The provider ${provider.name} has no chat endpoint.`,
  });
}
