import { GatewayError } from '@gateway/errors';
import type { ModelCatalog } from '@gateway/model-catalog';
import {
  findProvider,
  proxyRouteOf,
  type Provider,
  type ProxyEndpoint,
  type ProxyRoute,
} from '@gateway/providers';
import {
  ambiguous,
  hostedProvider,
  idAt,
  listOffering,
  notConnected,
  parseNamedModel,
  preferProvider,
  suggestModel,
} from '../pipeline/stages/choose/choose-target.ts';

/** The provider of a proxied request, and the provider's path for it. */
export interface ProxyTarget {
  readonly provider: Provider;
  /** The model name in the provider's spelling. */
  readonly model: string;
  readonly route: ProxyRoute;
  /**
   * The caller's own credential, which takes precedence over the stored credential. The credential is a
   * secret.
   */
  readonly ownCredential: string | null;
}

/** The inputs from which a provider is chosen. */
export interface WantedProxy {
  readonly model: string;
  readonly endpoint: ProxyEndpoint;
  /** Names of the account's connected providers. */
  readonly connected: ReadonlySet<string>;
  /** The caller's own credential for the hosted model service. The credential is a secret. */
  readonly ownCredential: string | null;
  /** The account's preferred providers for a model name without a provider, in descending preference. */
  readonly providerOrder?: readonly string[];
}

/**
 * Returns whether the body may contain a credential. A body can contain a credential only if the requested model
 * could belong to the hosted model service.
 */
export function mayBeHosted(model: string, catalog: ModelCatalog): boolean {
  return model.startsWith(`${hostedProvider}/`) || catalog.providersOf(model).includes(hostedProvider);
}

/**
 * Chooses the provider of a proxied request. A model of the form `<provider>/<model>` names the provider. For a
 * bare model name, the function searches the catalogue for connected providers that have the endpoint. Embedding,
 * image and audio models are accepted, too.
 * @throws GatewayError `model_not_found` if no known provider has the model.
 * @throws GatewayError `provider_not_connected` if the model's provider is not connected.
 * @throws GatewayError `ambiguous_model` if several providers have the model and none is preferred.
 * @throws GatewayError `endpoint_not_supported` if the provider does not have the endpoint.
 * @throws GatewayError `invalid_field` if the model is a routing string
 */
export function chooseProxyTarget(wanted: WantedProxy, catalog: ModelCatalog): ProxyTarget {
  const { model, ownCredential } = wanted;
  const connected =
    ownCredential === null ? wanted.connected : new Set([...wanted.connected, hostedProvider]);
  if (model.startsWith('svc/')) {
    const message =
      'Routing strings such as svc/auto only choose chat models. Use a model or <provider>/<model> here.';
    throw new GatewayError('invalid_field', { param: 'model', message });
  }
  const named = parseNamedModel(model);
  if (named === undefined) return chooseAmong({ ...wanted, connected }, catalog);
  if (!connected.has(named.provider.name)) throw notConnected(model, [named.provider]);
  return targetAt(named.provider, named.model, wanted);
}

function targetAt(
  provider: Provider,
  model: string,
  { endpoint, ownCredential: own }: WantedProxy,
): ProxyTarget {
  const route = proxyRouteOf(provider, endpoint, model);
  const ownCredential = provider.name === hostedProvider ? own : null;
  if (route !== undefined) return { provider, model, route, ownCredential };
  const what = provider.name === hostedProvider ? ` for the model "${model}"` : '';
  const advice = endpoint === 'responses' ? ' Use /v1/chat/completions, or another provider.' : '';
  throw new GatewayError('endpoint_not_supported', {
    param: 'model',
    message: `The provider ${provider.name} does not support /v1/${endpoint}${what}.${advice}`,
  });
}

function chooseAmong(wanted: WantedProxy, catalog: ModelCatalog): ProxyTarget {
  const { model, connected, endpoint } = wanted;
  const offering = catalog.providersOf(model);
  const choices = listOffering(wanted, endpoint, catalog);
  const names = choices.map(({ name }) => name);
  const preferred = preferProvider(names, wanted.providerOrder);
  const provider = choices.find(({ name }) => name === preferred);
  if (provider !== undefined) return targetAt(provider, idAt(provider, model, catalog), wanted);
  if (names.length > 0) throw ambiguous(model, names);
  const known = offering.flatMap((name) => findProvider(name) ?? []);
  if (known.length > 0) throw notConnected(model, known);
  const suggestion = suggestModel(model, connected, catalog);
  const message = `No connected provider has the model "${model}" in the catalog. ${suggestion}For a model that is not in the catalog, add its provider: <provider>/${model}.`;
  throw new GatewayError('model_not_found', { param: 'model', message });
}
