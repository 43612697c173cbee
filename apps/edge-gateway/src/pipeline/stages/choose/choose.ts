import { GatewayError } from '@gateway/errors';
import type { ExclusionRule } from '@gateway/model-routing';
import { bindsReasoning, type ModelCatalog } from '@gateway/model-catalog';
import { findUnmetNeed, parseRoutingString } from '@gateway/model-routing';
import { findStateful, formatNamed } from '@gateway/wire-formats';
import { connectedProviders, type ListServices } from '../../../connections/open-connection.ts';
import { renderHeaderText } from '../../../request/http-response.ts';
import { findStoredState, requireBalancedToolCalls } from '../../../request/request-facts.ts';
import { charactersPerToken } from '../../../request/token-estimates.ts';
import { readNeeds } from '../../../routing/read-needs.ts';
import type { Exchange } from '../../exchange/exchange.ts';
import type { Target, Caller, ParsedRequest } from '../../../request/request.ts';
import { countSentBytes, type SkippedFallback } from '../../exchange/attempt.ts';
import { chooseRouted, type RoutedServices } from './choose-routed.ts';
import type { RequestModels } from '../../../routing/account-models.ts';
import { chooseTarget, hostedProvider } from './choose-target.ts';

type ChooseServices = ListServices &
  RoutedServices & { readonly catalog: ModelCatalog; readonly accountModels: RequestModels };

/**
 * Maps the model string to a provider and a model. For `svc/auto`, `svc/cheap`, `svc/fast` and `svc/capable`, the
 * gateway chooses both the provider and the model. `<provider>/<model>` specifies the provider and the model, and
 * also accepts models outside the catalogue. The gateway looks up a bare model name in the catalogue, among the
 * account's connected providers.
 * @throws GatewayError `unbalanced_tool_calls` for a translated Responses request, or `invalid_field` for a routing
 * string with stored state. Throws the errors of `keepAccount`, `chooseTarget` and `chooseRouted`
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
  const { accountId } = caller;
  const catalog = await services.accountModels.open({ accountId, connected, model: outline.model });
  const tools = { hasTools: outline.tools.length > 0, effort: () => readEffort(request, exchange) };
  const { providerOrder } = caller.routing;
  const wanted = { format: exchange.format, connected, ownCredential, tools, providerOrder };
  const find = (model: string): Target =>
    withAffinity(
      chooseTarget({ ...wanted, model, isNamed: model === outline.model }, catalog),
      request,
      services,
    );
  const mode = parseRoutingString(outline.model);
  const isResponses = outline.format === 'responses';
  const state = isResponses ? findStateful(request.tape) : findStoredState(request);
  if (isResponses && mode !== undefined && state !== undefined) throw needsNamedModel(outline.model, state);
  const target =
    mode === undefined
      ? chooseNamed(find, request, exchange, caller, services)
      : await chooseRouted(
          { requested: mode, request, connected, catalog, find },
          exchange,
          caller,
          services,
        );
  nameTarget(target, exchange);
  if (state !== undefined) return keepAccount(target, state);
  if (isResponses && target.lane.kind === 'translated') requireBalancedToolCalls(outline);
  return target;
}

/** Records the names of the provider and the model in the log and in the response headers. */
function nameTarget({ provider, model }: Target, { ledger, headers }: Exchange): void {
  ledger.provider = provider.name;
  ledger.model = model;
  headers['x-svc-provider'] = provider.name;
  headers['x-svc-model'] = renderHeaderText(model);
}

/**
 * The error for a routing string (such as `svc/auto`) in a request that refers to stored state. Only one provider
 * has the state.
 */
function needsNamedModel(model: string, field: string): GatewayError {
  const message = `With ${model}, the gateway chooses the provider, but only the provider that stores the state can use ${field}. Set model to the <provider>/<model> of the stored state, or send the whole conversation in input, without ${field}.`;
  return new GatewayError('invalid_field', { param: 'model', message });
}

/**
 * Sets the routing rules for a request that depends on stored state. Stored state is a message thread of Anthropic,
 * or a stored response, conversation, prompt or item of the Responses API. Only one provider account stores the
 * state, so no fallback can answer the request. The request does not name the provider account that stores the
 * state. All requests that depend on stored state use one credential as long as the credential works.
 * @param field the request field that refers to the stored provider state.
 * @throws GatewayError if the provider does not store the state. The code is `thread_unsupported_request` for a
 * message thread, and `invalid_field` for other fields.
 */
export function keepAccount(target: Target, field: string): Target {
  const { provider, lane } = target;
  if (lane.kind === 'same-format') return { ...target, affinity: 'thread', alternatives: () => [] };
  if (field === 'thread') throw new GatewayError('thread_unsupported_request', { param: field });
  const advice = field.startsWith('input')
    ? `it cannot read the item that ${field} refers to. Send the item itself. SDKs send whole items with store: false.`
    : `it cannot use ${field}. Send the whole conversation in input, without ${field}.`;
  const message = `The provider ${provider.name} stores no responses, so ${advice}`;
  throw new GatewayError('invalid_field', { param: field, message });
}

/**
 * Reads the reasoning effort. A request in the chat-completions format specifies the reasoning effort in a field of
 * the body. A request in any other format is parsed completely to find the effort. The effort is read only for
 * models that accept tools at some reasoning efforts but not at others.
 */
function readEffort({ tape, outline }: ParsedRequest, { route }: Exchange): string | undefined {
  const node = tape.get(tape.root, 'reasoning_effort');
  if (outline.format === 'chat-completions') return node === undefined ? undefined : tape.stringValue(node);
  return formatNamed(outline.format).client.parseRequest(tape, route).settings.reasoningEffort;
}

/**
 * Adds affinity, so that later requests of the conversation go to the same provider account. Affinity is
 * added only if the model's reasoning is valid in a single provider account.
 */
function withAffinity(
  target: Target,
  { conversation }: ParsedRequest,
  { catalog }: Pick<ChooseServices, 'catalog'>,
): Target {
  const { provider, model } = target;
  const { effect, isAccountBound } = bindsReasoning(catalog.find(provider.name, model), model);
  return effect !== 'none' && isAccountBound ? { ...target, affinity: conversation.key } : target;
}

/** Returns the target for the client's model, and adds the account's fallbacks. */
function chooseNamed(
  find: (model: string) => Target,
  request: ParsedRequest,
  exchange: Exchange,
  { routing }: Caller,
  { catalog }: ChooseServices,
): Target {
  const lackOf = ({ provider, model: id }: Target) => {
    const model = catalog.find(provider.name, id);
    if (model === undefined) return undefined;
    const needs = readNeeds(request, charactersPerToken);
    const sentTokens = Math.ceil(countSentBytes(exchange.attempts) / charactersPerToken);
    // After pruning and compression, the sent request is smaller than the received request.
    // Before planning, only the size of the received request is known.
    const inputTokens = sentTokens === 0 ? needs.inputTokens : Math.min(needs.inputTokens, sentTokens);
    return findUnmetNeed(model, { ...needs, inputTokens });
  };
  const skip = (skipped: SkippedFallback) => exchange.attempts.skipped.push(skipped);
  return chooseFallbacks(find(request.outline.model), routing.fallbacks, { find, lackOf, skip });
}

/** The rules by which fallbacks are chosen. */
export interface FallbackRules {
  /** Finds the target for a model. Throws an error if there is no target. */
  readonly find: (model: string) => Target;
  /**
   * Returns the rule that excludes a fallback because its model lacks a feature that the request needs.
   * Returns undefined if the model supports all required features.
   */
  readonly lackOf: (fallback: Target) => ExclusionRule | undefined;
  /** The pipeline calls this function for each fallback that it skips because of a missing feature. */
  readonly skip: (skipped: SkippedFallback) => void;
}

/**
 * Adds the account's fallbacks to a target. The function looks up the fallbacks when the first fallback is
 * needed, so a successful request never waits for the lookup. A fallback is skipped if it no longer exists, is
 * not connected, or cannot serve the request.
 */
export function chooseFallbacks(
  target: Target,
  fallbacks: readonly string[],
  { find, lackOf, skip }: FallbackRules,
): Target {
  if (fallbacks.length === 0) return target;
  let found: readonly Target[] | undefined;
  const look = (): readonly Target[] =>
    fallbacks.flatMap((model) => {
      const fallback = findOrNone(model, find);
      if (fallback === undefined || isSame(fallback, target)) return [];
      const rule = lackOf(fallback);
      if (rule === undefined) return [fallback];
      skip({ id: `${fallback.provider.name}/${fallback.model}`, rule });
      return [];
    });
  return { ...target, alternatives: () => (found ??= look()) };
}

function findOrNone(model: string, find: FallbackRules['find']): Target | undefined {
  try {
    return find(model);
  } catch {
    return undefined;
  }
}

function isSame(one: Target, other: Target): boolean {
  return one.provider.name === other.provider.name && one.model === other.model;
}
