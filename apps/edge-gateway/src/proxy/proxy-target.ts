import { GatewayError } from '@gateway/errors';
import type { ModelCatalog } from '@gateway/model-catalog';
import { findProvider, proxyPathOf, type Provider, type ProxyEndpoint } from '@gateway/providers';

/** Who takes a proxied request, and where. */
export interface ProxyTarget {
  readonly provider: Provider;
  /** The model in the provider's own spelling. */
  readonly model: string;
  /** Under the provider's base URL. */
  readonly path: string;
}

interface Wanted {
  readonly model: string;
  readonly endpoint: ProxyEndpoint;
  /** Names of the account's connected providers. */
  readonly connected: ReadonlySet<string>;
}

/**
 * `<provider>/<model>` names both; a bare name is looked up in the catalogue, whatever its kind, among the connected
 * providers that have the endpoint.
 * @throws GatewayError `model_not_found`, `provider_not_connected`, `ambiguous_model`, `endpoint_not_supported`,
 * `invalid_field` for a routing string: a proxied request goes where it says.
 */
export function chooseProxyTarget(wanted: Wanted, catalog: ModelCatalog): ProxyTarget {
  const { model, connected, endpoint } = wanted;
  if (model.startsWith('svc/')) {
    const message = 'Routing strings choose among chat models. Name a model here, or <provider>/<model>.';
    throw new GatewayError('invalid_field', { param: 'model', message });
  }
  const slash = model.indexOf('/');
  const named = slash > 0 ? findProvider(model.slice(0, slash)) : undefined;
  if (named === undefined) return chooseAmong(wanted, catalog);
  if (!connected.has(named.name)) throw notConnected(model, named.name);
  return targetAt(named, model.slice(slash + 1), endpoint);
}

function targetAt(provider: Provider, model: string, endpoint: ProxyEndpoint): ProxyTarget {
  const path = proxyPathOf(provider, endpoint);
  if (path !== undefined) return { provider, model, path };
  throw new GatewayError('endpoint_not_supported', {
    param: 'model',
    message: `The provider ${provider.name} has no endpoint that takes the requests of /v1/${endpoint}.`,
  });
}

function chooseAmong({ model, connected, endpoint }: Wanted, catalog: ModelCatalog): ProxyTarget {
  const offering = catalog.providersOf(model);
  const usable = offering.filter((name) => connected.has(name)).map(findProvider);
  const able = usable.filter((provider) => provider && proxyPathOf(provider, endpoint) !== undefined);
  const [first, ...others] = able.length > 0 ? able : usable;
  if (first !== undefined && others.length === 0) {
    return targetAt(first, catalog.find(first.name, model)?.modelId ?? model, endpoint);
  }
  if (first !== undefined) {
    const choices = able.map((provider) => `${provider?.name ?? ''}/${model}`).join(', ');
    const message = `More than one connected provider has the model "${model}". Choose one of: ${choices}.`;
    throw new GatewayError('ambiguous_model', { param: 'model', message });
  }
  if (offering.length > 0) throw notConnected(model, offering.join(' or '));
  const message = `No connected provider is known to have the model "${model}". Name its provider: <provider>/${model}.`;
  throw new GatewayError('model_not_found', { param: 'model', message });
}

function notConnected(model: string, names: string): GatewayError {
  const message = `The model "${model}" needs the provider ${names}, which is not connected. Connect it with PUT /v1/account/providers.`;
  return new GatewayError('provider_not_connected', { param: 'model', message });
}
