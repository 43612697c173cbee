import { GatewayError } from '@gateway/errors';
import { exclusionTexts, type Excluded, type ExclusionRule, type RoutingMode } from '@gateway/model-routing';
import type { ModelCatalog } from '@gateway/model-catalog';
import { findProvider } from '@gateway/providers';
import type { ModelRouter, Routed, RoutedRequest } from '../../../routing/model-router.ts';
import { deriveKey } from '../../../request/conversation.ts';
import { estimateFresh, readNeeds, readTask } from '../../../routing/read-needs.ts';
import type { Caller, ParsedRequest, Target } from '../../../request/request.ts';
import type { Exchange } from '../../exchange/exchange.ts';
import { renderChoiceAttributes } from '../../../request/model-choice.ts';
import { carriesSignedReasoning } from '../../../request/request-facts.ts';
import { charactersPerToken } from '../../../request/token-estimates.ts';

export interface RoutedServices {
  readonly modelRouter: Pick<ModelRouter, 'choose'>;
}

interface RoutedQuestion {
  /** The routing mode that the request specifies. `auto` selects the mode that the account prefers. */
  readonly requested: RoutingMode;
  readonly request: ParsedRequest;
  readonly connected: ReadonlySet<string>;
  /** The catalogue, including the account's own models. */
  readonly catalog: ModelCatalog;
  /** Finds the target for `<provider>/<model>`. */
  readonly find: (model: string) => Target;
}

/** Maximum number of fallbacks for the chosen model. */
const alternativesMax = 4;
/**
 * The expected size of a request after pruning and compression, as a fraction of the received size. If the whole
 * request is too long for every model, the gateway chooses a model for the expected size.
 */
const keptShare = 0.6;

/**
 * Chooses a model and its fallbacks for a request that leaves the choice to the gateway. The function also
 * logs the chosen model.
 * @throws GatewayError `no_candidate_model` if rules exclude all models. The error names the rule that excludes
 * each model. Throws `provider_not_connected` if no model is available.
 */
export async function chooseRouted(
  { requested, request, connected, catalog, find }: RoutedQuestion,
  exchange: Exchange,
  caller: Caller,
  services: RoutedServices,
): Promise<Target> {
  const mode = requested === 'auto' ? caller.routing.mode : requested;
  const routed = describe(mode, { request, connected, catalog }, caller);
  const found = await chooseWithin(routed, caller, services);
  const { choice, complexity, turns } = found;
  const { reason, level } = choice;
  const [first, ...others] = choice.candidates;
  if (first === undefined || reason === null) throw noCandidate(mode, connected, choice.excluded);
  const chosen = { mode, reason, level, complexity, choice, conversation: routed.conversation, turns };
  exchange.modelChoice = chosen;
  const { span } = exchange.trace;
  if (span.isRecording()) span.setAttributes(renderChoiceAttributes(chosen));
  if (others.length === 0) return find(first.id);
  let alternatives: readonly Target[] | undefined;
  const findOthers = (): readonly Target[] => others.slice(0, alternativesMax).map(({ id }) => find(id));
  return { ...find(first.id), alternatives: () => (alternatives ??= findOthers()) };
}

function describe(
  mode: RoutingMode,
  { request: parsed, connected, catalog }: Pick<RoutedQuestion, 'request' | 'connected' | 'catalog'>,
  { accountId, routing }: Caller,
): RoutedRequest {
  const { outline, tape, conversation } = parsed;
  const hasTurn = outline.messages.some(({ role }) => role === 'assistant');
  return {
    accountId,
    mode,
    ...{ connected, catalog },
    needs: readNeeds(parsed, charactersPerToken),
    freshTokens: estimateFresh(outline, charactersPerToken),
    policy: {
      allowedProviders: routing.allowedProviders,
      maxCostUsdPerMtok: routing.maxCostUsdPerMtok,
    },
    conversation: deriveKey(`${accountId}\n${mode}`, conversation.agentKey),
    mayGoOn: conversation.sessionId !== null || hasTurn,
    task: mode === 'auto' ? readTask(outline) : '',
    carriesThinking: hasTurn && carriesSignedReasoning(tape),
  };
}

/**
 * Chooses among the models with a context window that is large enough for the received request. If no model fits the
 * received request, the function chooses among the models that fit its expected size after pruning and compression.
 */
async function chooseWithin(
  request: RoutedRequest,
  caller: Caller,
  { modelRouter }: RoutedServices,
): Promise<Routed> {
  const found = await modelRouter.choose(request);
  const { candidates, excluded } = found.choice;
  if (candidates.length > 0 || !mayShrink(caller, request.needs.tools, excluded)) return found;
  const inputTokens = Math.ceil(request.needs.inputTokens * keptShare);
  return modelRouter.choose({ ...request, needs: { ...request.needs, inputTokens } });
}

/**
 * Returns whether a shorter request might fit a model that was excluded because of its context window. The account
 * must use pruning or compression, which can shorten the request.
 */
function mayShrink(caller: Caller, hasTools: boolean, excluded: readonly Excluded[]): boolean {
  const { compression, pruning } = caller;
  const shrinks =
    (hasTools && pruning.mode === 'on') ||
    (compression.mode !== 'off' && (hasTools || compression.applyWithoutTools));
  return shrinks && excluded.some(({ rule }) => rule === 'context_too_short');
}

function noCandidate(
  mode: RoutingMode,
  connected: ReadonlySet<string>,
  excluded: readonly Excluded[],
): GatewayError {
  if (excluded.length > 0) {
    const message = `No model can serve this request as svc/${mode}. ${explainExclusions(excluded)}`;
    return new GatewayError('no_candidate_model', { param: 'model', message });
  }
  const names = [...connected].filter((name) => findProvider(name) !== undefined).join(', ');
  const known = names === '' ? 'No provider is connected' : `The catalogue lists no chat model of ${names}`;
  return new GatewayError('provider_not_connected', {
    param: 'model',
    message: `svc/${mode} chooses among the models of connected providers. ${known}. Connect one with PUT /v1/account/providers.`,
  });
}

/** Maximum number of model names in an error message. A longer list would be hard to read. */
const namesMax = 400;

/** Lists the models that each rule excludes, for example `openai/gpt-4o: turned off … (turned_off)`. */
function explainExclusions(excluded: readonly Excluded[]): string {
  const byRule = new Map<ExclusionRule, string[]>();
  for (const { id, rule } of excluded.slice(0, namesMax)) {
    const ids = byRule.get(rule);
    if (ids === undefined) byRule.set(rule, [id]);
    else ids.push(id);
  }
  const parts = [...byRule].map(([rule, ids]) => `${ids.join(', ')}: ${exclusionTexts[rule]} (${rule}).`);
  const more = excluded.length - namesMax;
  return [...parts, ...(more > 0 ? [`And ${more} more.`] : [])].join(' ');
}
