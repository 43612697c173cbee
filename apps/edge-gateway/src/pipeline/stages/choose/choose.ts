import { GatewayError } from '@gateway/errors';
import type { ClientFormat } from '@gateway/interchange';
import type { ModelCatalog } from '@gateway/model-catalog';
import { findProvider, type Provider } from '@gateway/providers';
import type { Connections } from '../../../connections/connections.ts';
import type { Exchange } from '../../exchange.ts';
import type { PipelineSettings } from '../../services.ts';
import type { Target } from '../../target.ts';
import { chooseLane } from './choose-lane.ts';
import type { Caller } from '../../caller.ts';
import type { ParsedRequest } from '../../parsed-request.ts';

interface ChooseServices {
  readonly connections: Connections;
  readonly catalog: ModelCatalog;
  readonly settings: PipelineSettings;
}

/**
 * Model string → provider and model. `<provider>/<model>` names both, and passes models that the catalogue does not
 * know yet; a bare name is looked up in the catalogue among the account's connected providers.
 */
export async function choose(
  request: ParsedRequest,
  exchange: Exchange,
  caller: Caller,
  services: ChooseServices,
): Promise<Target> {
  const target = await chooseTarget(request.outline.model, exchange.format, caller.accountId, services);
  exchange.ledger.provider = target.provider.name;
  exchange.ledger.model = target.model;
  exchange.headers['x-svc-provider'] = target.provider.name;
  exchange.headers['x-svc-model'] = renderHeaderText(target.model);
  return target;
}

/** A client's own words may hold what no header can: that is percent-encoded. */
function renderHeaderText(text: string): string {
  return text.toWellFormed().replace(/[^\x20-\x7e]+/g, encodeURIComponent);
}

/** Throws `model_not_found`, `provider_not_connected` or `ambiguous_model`. */
export async function chooseTarget(
  model: string,
  format: ClientFormat,
  accountId: string,
  services: ChooseServices,
): Promise<Target> {
  const connected = await connectedProviders(accountId, services);
  const slash = model.indexOf('/');
  const named = slash > 0 ? findProvider(model.slice(0, slash)) : undefined;
  if (named) {
    if (!connected.has(named.name)) throw notConnected(model, [named]);
    return { provider: named, model: model.slice(slash + 1), lane: chooseLane(format, named) };
  }
  return chooseAmong(model, format, connected, services.catalog);
}

function chooseAmong(
  model: string,
  format: ClientFormat,
  connected: ReadonlySet<string>,
  catalog: ModelCatalog,
): Target {
  const offering = catalog.providersOf(model);
  const usable = offering.filter((name) => connected.has(name));
  const [first, ...others] = usable;
  if (first !== undefined && others.length === 0) {
    const provider = findProvider(first);
    const entry = catalog.find(first, model);
    if (provider && entry) return { provider, model: entry.modelId, lane: chooseLane(format, provider) };
  }
  if (first !== undefined) {
    const choices = usable.map((name) => `${name}/${model}`).join(', ');
    const message = `More than one connected provider has the model "${model}". Choose one of: ${choices}.`;
    throw new GatewayError('ambiguous_model', { param: 'model', message });
  }
  const known = offering.map(findProvider).filter((provider) => provider !== undefined);
  if (known.length > 0) throw notConnected(model, known);
  throw new GatewayError('model_not_found', {
    param: 'model',
    message: `No connected provider has the model "${model}".`,
  });
}

function notConnected(model: string, providers: readonly Provider[]): GatewayError {
  const names = providers.map((provider) => provider.name).join(' or ');
  return new GatewayError('provider_not_connected', {
    param: 'model',
    message:
      `The model "${model}" needs the provider ${names}, which is not connected. ` +
      `Connect it with PUT /v1/account/providers {"provider":"${providers[0]?.name ?? ''}","api_key":"…"}.`,
  });
}

/** The sandbox needs no credential: it is connected wherever it runs. */
export async function connectedProviders(
  accountId: string,
  services: ChooseServices,
): Promise<ReadonlySet<string>> {
  const stored = await services.connections.list(accountId);
  const names = new Set(stored.map((credential) => credential.provider));
  if (services.settings.sandboxUrl !== undefined) names.add('sandbox');
  return names;
}
