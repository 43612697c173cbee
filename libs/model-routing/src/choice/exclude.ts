import { pricesAt, type CatalogModel, type ModelPrices } from '@gateway/model-catalog';
import type { ExclusionRule, ListedModel, Needs, RoutingPolicy, RoutingQuestion } from './question.ts';

type Excludes = (listed: ListedModel) => boolean;
type Rule = readonly [name: ExclusionRule, excludes: Excludes];

/** The explanation of each exclusion rule. */
export const exclusionTexts: Readonly<Record<ExclusionRule, string>> = {
  provider_not_allowed: 'not among allowed_providers',
  turned_off: 'turned off for automatic routing',
  sandbox: 'the sandbox is chosen only if no other provider is connected',
  own_deployments: "Azure's deployments are chosen only if allowed_providers contains azure",
  retired: 'retired by the provider',
  deprecated: 'about to be retired by the provider',
  other_region: "bound to a region that may not be the connection's",
  responses_only: 'served only in the Responses API, and chosen only by name',
  above_max_cost: 'above max_cost_usd_per_mtok',
  price_unknown: 'price unknown while max_cost_usd_per_mtok is set',
  no_tools: 'cannot call tools',
  no_images: 'cannot read images',
  no_documents: 'cannot read documents',
  no_json_mode: 'no JSON mode',
  no_streaming: 'cannot stream',
  no_thinking: 'cannot think',
  context_too_short: 'context window too short',
  output_too_short: 'cannot answer at the length asked for',
  session_bound: 'not the model that signed the reasoning in the transcript',
};

/** The inputs that determine which models are excluded. */
export type RuleQuestion = Pick<RoutingQuestion, 'models' | 'needs' | 'policy' | 'pin' | 'now'>;

/** Returns the first rule that excludes a model, or undefined if the model can serve the request. */
export function createRules(question: RuleQuestion): (listed: ListedModel) => ExclusionRule | undefined {
  // Only the rules that apply to the request and its account are created, which are few for most requests.
  const rules = [
    ...policyRules(question),
    ...stateRules(question),
    ...needRules(question),
    ...pinRules(question),
  ];
  return (listed) => {
    for (const [name, excludes] of rules) if (excludes(listed)) return name;
    return undefined;
  };
}

/** Exclusion rules that the account sets. */
function* policyRules(question: RuleQuestion): Generator<Rule> {
  const { allowedProviders, turnedOff, maxCostUsdPerMtok: max } = question.policy;
  if (allowedProviders !== null) {
    const allowed = new Set(allowedProviders);
    yield ['provider_not_allowed', ({ model }) => !allowed.has(model.provider)];
  }
  if (turnedOff.size > 0) yield ['turned_off', ({ id }) => turnedOff.has(id)];
  const demoted = findDemoted(question);
  // The sandbox returns scripted responses, so the sandbox is used only when no other model exists.
  if (demoted.has('sandbox')) yield ['sandbox', ({ model }) => model.provider === 'sandbox'];
  // Azure models are the account's own deployments, which are not in the catalogue.
  if (demoted.has('azure')) yield ['own_deployments', ({ model }) => model.provider === 'azure'];
  if (max === null) return;
  yield ['price_unknown', ({ model }) => model.prices === null];
  yield ['above_max_cost', ({ model: { prices } }) => exceeds(prices && pricesAt(prices, question.now), max)];
}

function exceeds(prices: ModelPrices | null, max: number): boolean {
  return prices !== null && (prices.input > max || prices.output > max);
}

/** Exclusion rules about a model's status at its provider. */
function* stateRules({ now }: RuleQuestion): Generator<Rule> {
  const today = new Date(now).toISOString().slice(0, 10);
  yield ['retired', ({ model }) => model.retiredAt !== null && model.retiredAt <= today];
  yield ['deprecated', ({ model }) => model.deprecated];
  // The gateway has no information about the region of a provider connection.
  // Models without a region prefix or with the prefix `global.` are available in all regions.
  yield ['other_region', ({ model }) => model.provider === 'hosted' && regionPrefix.test(model.modelId)];
  // These models (OpenAI's pro and Codex models) lack benchmark results, and some cost ten times as much as others.
  yield ['responses_only', ({ model: { formats } }) => formats.length === 1 && formats[0] === 'responses'];
}

/** Prefixes of inference profiles that are available only in one region of the world. */
const regionPrefix = /^(us|us-gov|eu|jp|au|apac|ca|sa)\./;

/**
 * Exclusion rules about the capabilities that a request needs. An unknown capability is treated as missing.
 */
function* needRules({ needs }: RuleQuestion): Generator<Rule> {
  if (needs.tools) yield ['no_tools', ({ model }) => model.capabilities.tools !== true];
  if (needs.images) yield ['no_images', ({ model }) => model.capabilities.images !== true];
  if (needs.documents) yield ['no_documents', ({ model }) => model.capabilities.documents !== true];
  // For a third of the models, no source documents JSON mode support, although most of these models support JSON mode.
  // A model is excluded only if a source documents that the model lacks JSON mode.
  if (needs.jsonMode) yield ['no_json_mode', ({ model }) => model.capabilities.jsonMode === false];
  if (needs.streaming) yield ['no_streaming', ({ model }) => model.capabilities.streaming === false];
  if (needs.thinking) yield ['no_thinking', ({ model }) => model.capabilities.thinking !== true];
  yield ['context_too_short', ({ model }) => isFull(model, needs, windowTokensDefault)];
  if (needs.outputTokensMax !== null) yield ['output_too_short', ({ model }) => isShort(model, needs)];
}

/** Assumed context window in tokens for a model without a documented context window. */
const windowTokensDefault = 8_192;

/** @param windowTokens the assumed context window if the catalogue has no context window for the model */
function isFull(
  { contextWindow, maxInputTokens = Infinity }: CatalogModel,
  { inputTokens, outputTokensMax }: Needs,
  windowTokens: number,
): boolean {
  return (
    inputTokens > maxInputTokens || inputTokens + (outputTokensMax ?? 0) > (contextWindow ?? windowTokens)
  );
}

function isShort({ maxOutputTokens }: CatalogModel, { outputTokensMax }: Needs): boolean {
  return maxOutputTokens !== null && outputTokensMax !== null && outputTokensMax > maxOutputTokens;
}

function* pinRules({ pin }: RuleQuestion): Generator<Rule> {
  if (pin?.isBound === true) yield ['session_bound', ({ id }) => id !== pin.id];
}

/**
 * Providers that are used only if the account explicitly allows them, or as a last resort. The demoted
 * providers are the sandbox and the providers that host the account's own deployments.
 */
function findDemoted({ models, policy }: RuleQuestion): ReadonlySet<string> {
  const present = new Set<string>();
  for (const { model } of models) present.add(model.provider);
  const demoted = new Set<string>();
  const usual = [...present].some(
    (name) => name !== 'sandbox' && name !== 'azure' && isAllowed(name, policy),
  );
  const named = (name: string): boolean => policy.allowedProviders?.includes(name) === true;
  if (!named('sandbox') && (usual || present.has('azure'))) demoted.add('sandbox');
  if (!named('azure') && usual) demoted.add('azure');
  return demoted;
}

function isAllowed(provider: string, { allowedProviders }: RoutingPolicy): boolean {
  return allowedProviders === null || allowedProviders.includes(provider);
}

/**
 * Returns the first requirement of a request that the client's chosen model does not meet. The client may
 * know more about the model than the catalogue contains. Only documented limitations exclude the model, and
 * an unknown capability is treated as present.
 */
export function findUnmetNeed(model: CatalogModel, needs: Needs): ExclusionRule | undefined {
  const { capabilities: can } = model;
  if (needs.tools && can.tools === false) return 'no_tools';
  if (needs.images && can.images === false) return 'no_images';
  if (needs.documents && can.documents === false) return 'no_documents';
  if (needs.jsonMode && can.jsonMode === false) return 'no_json_mode';
  if (needs.streaming && can.streaming === false) return 'no_streaming';
  if (needs.thinking && can.thinking === false) return 'no_thinking';
  if (isFull(model, needs, Infinity)) return 'context_too_short';
  return isShort(model, needs) ? 'output_too_short' : undefined;
}
