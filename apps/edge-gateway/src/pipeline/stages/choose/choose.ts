import { GatewayError } from '@gateway/errors';
import type { ClientFormat } from '@gateway/interchange';
import type { ModelCatalog } from '@gateway/model-catalog';
import { findUnmetNeed, parseRoutingString } from '@gateway/model-routing';
import { findProvider, type Provider } from '@gateway/providers';
import type { Connections } from '../../../connections/connections.ts';
import { renderHeaderText } from '../../../request/http-response.ts';
import { readNeeds } from '../../../routing/read-needs.ts';
import type { Exchange } from '../../exchange/exchange.ts';
import type { PipelineSettings } from '../../../request/settings.ts';
import type { Target, Caller, ParsedRequest } from '../../../request/request.ts';
import { countSentBytes, type SkippedFallback } from '../../exchange/attempt.ts';
import { chooseFallbacks } from './choose-fallbacks.ts';
import { chooseLane } from './choose-lane.ts';
import { chooseRouted, type RoutedServices } from './choose-routed.ts';

/** The cloud's hosted model service. Its credentials may be in the request. */
const hostedProvider = 'hosted';

interface ConnectionServices {
  readonly connections: Connections;
  readonly catalog: ModelCatalog;
  readonly settings: PipelineSettings;
}

type ChooseServices = ConnectionServices & RoutedServices;

/**
 * Maps the model string to a provider and a model. `svc/auto`, `svc/cheap`, `svc/fast` and `svc/capable`
 * leave both to the gateway. `<provider>/<model>` names both, and accepts models that are not in the
 * catalogue. A plain name is looked up in the catalogue among the account's connected providers.
 */
export async function choose(
  request: ParsedRequest,
  exchange: Exchange,
  caller: Caller,
  services: ChooseServices,
): Promise<Target> {
  const { ownCredential, outline } = request;
  const stored = await connectedProviders(caller.accountId, services);
  const connected = ownCredential === null ? stored : new Set([...stored, hostedProvider]);
  const wanted = { model: outline.model, format: exchange.format, connected, ownCredential };
  const find = (model: string): Target => chooseTarget({ ...wanted, model }, services.catalog);
  const mode = parseRoutingString(outline.model);
  const target =
    mode === undefined
      ? chooseNamed(find, request, exchange, caller, services)
      : await chooseRouted({ asked: mode, request, connected, find }, exchange, caller, services);
  exchange.ledger.provider = target.provider.name;
  exchange.ledger.model = target.model;
  exchange.headers['x-svc-provider'] = target.provider.name;
  exchange.headers['x-svc-model'] = renderHeaderText(target.model);
  return target;
}

/** Returns the model that the client names, with the account's fallbacks. */
function chooseNamed(
  find: (model: string) => Target,
  request: ParsedRequest,
  exchange: Exchange,
  { routing }: Caller,
  { catalog, tokenRatios }: ChooseServices,
): Target {
  const lackOf = ({ provider, model: id }: Target) => {
    const model = catalog.find(provider.name, id);
    if (model === undefined) return undefined;
    const bytesPerToken = tokenRatios.bytesPerToken(null);
    const needs = readNeeds(request, bytesPerToken);
    const sentTokens = Math.ceil(countSentBytes(exchange.attempts) / bytesPerToken);
    // The sent request was pruned and compressed. Before it is sent, the size of the received request counts.
    const inputTokens = sentTokens === 0 ? needs.inputTokens : Math.min(needs.inputTokens, sentTokens);
    return findUnmetNeed(model, { ...needs, inputTokens });
  };
  const skip = (skipped: SkippedFallback) => exchange.attempts.skipped.push(skipped);
  return chooseFallbacks(find(request.outline.model), routing.fallbacks, { find, lackOf, skip });
}

/** The inputs of the choice of a provider. */
interface Wanted {
  readonly model: string;
  readonly format: ClientFormat;
  readonly connected: ReadonlySet<string>;
  readonly ownCredential: string | null;
}

/** @throws GatewayError `model_not_found`, `provider_not_connected` or `ambiguous_model` */
function chooseTarget(wanted: Wanted, catalog: ModelCatalog): Target {
  const { model, connected } = wanted;
  const slash = model.indexOf('/');
  const named = slash > 0 ? findProvider(model.slice(0, slash)) : undefined;
  if (named === undefined) return chooseAmong(wanted, catalog);
  if (!connected.has(named.name)) throw notConnected(model, [named]);
  return targetAt(named, model.slice(slash + 1), wanted);
}

function targetAt(provider: Provider, model: string, { format, ownCredential }: Wanted): Target {
  const own = provider.name === hostedProvider ? ownCredential : null;
  return { provider, model, lane: chooseLane(format, provider), ownCredential: own };
}

function chooseAmong(wanted: Wanted, catalog: ModelCatalog): Target {
  const { model, format, connected } = wanted;
  const offering = catalog.providersOf(model, 'chat');
  const usable = offering.filter((name) => connected.has(name));
  const [first, ...others] = usable;
  if (first !== undefined && others.length === 0) {
    const provider = findProvider(first);
    const entry = catalog.find(first, model);
    if (provider && entry) return targetAt(provider, entry.modelId, wanted);
  }
  // ARNs and inference profiles are in no catalogue. At converse's own address they belong to converse's own
  // provider.
  const hosted = format === 'converse' && offering.length === 0 ? findProvider(hostedProvider) : undefined;
  if (hosted && connected.has(hosted.name)) return targetAt(hosted, model, wanted);
  if (first !== undefined) {
    const choices = usable.map((name) => `${name}/${model}`).join(', ');
    const message = `More than one connected provider has the model "${model}". Choose one of: ${choices}.`;
    throw new GatewayError('ambiguous_model', { param: 'model', message });
  }
  const known = offering.map(findProvider).filter((provider) => provider !== undefined);
  if (known.length > 0) throw notConnected(model, known);
  throw new GatewayError('model_not_found', { param: 'model', message: explainMissing(model, catalog) });
}

function explainMissing(model: string, catalog: ModelCatalog): string {
  const [other] = catalog.providersOf(model);
  const kind = other === undefined ? undefined : catalog.find(other, model)?.kind;
  return kind === undefined
    ? `No connected provider has the model "${model}".`
    : `"${model}" is not a chat model. Its kind is "${kind}".`;
}

export function notConnected(model: string, providers: readonly Provider[]): GatewayError {
  const names = providers.map((provider) => provider.name).join(' or ');
  return new GatewayError('provider_not_connected', {
    param: 'model',
    message:
      `The model "${model}" needs the provider ${names}, which is not connected. ` +
      `Connect it with PUT /v1/account/providers {"provider":"${providers[0]?.name ?? ''}","api_key":"…"}.`,
  });
}

/** Lists the connected providers. The sandbox needs no credential, so it is always connected if it runs. */
export async function connectedProviders(
  accountId: string,
  services: ConnectionServices,
): Promise<ReadonlySet<string>> {
  const stored = await services.connections.list(accountId);
  const names = new Set(stored.map((credential) => credential.provider));
  if (services.settings.sandboxUrl !== undefined) names.add('sandbox');
  return names;
}
