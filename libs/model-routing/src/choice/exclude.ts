import type { CatalogModel } from '@gateway/model-catalog';
import type { ExclusionRule, ListedModel, Needs, RoutingPolicy, RoutingQuestion } from './question.ts';

type Excludes = (listed: ListedModel) => boolean;
type Rule = readonly [name: ExclusionRule, excludes: Excludes];

/** For each model, the first rule that it falls under; undefined for one that may serve the request. */
export function openRules(question: RoutingQuestion): (listed: ListedModel) => ExclusionRule | undefined {
  // Most rules are for requests that need something, or accounts that forbid something: the others are not asked.
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

/** What the account wants. */
function* policyRules(question: RoutingQuestion): Generator<Rule> {
  const { allowedProviders, turnedOff, maxCostUsdPerMtok: max } = question.policy;
  if (allowedProviders !== null) {
    const allowed = new Set(allowedProviders);
    yield ['provider_not_allowed', ({ model }) => !allowed.has(model.provider)];
  }
  if (turnedOff.size > 0) yield ['turned_off', ({ id }) => turnedOff.has(id)];
  const setBack = findSetBack(question);
  // It answers from a script: it stands in for a model only where there is none.
  if (setBack.has('sandbox')) yield ['sandbox', ({ model }) => model.provider === 'sandbox'];
  // Its models are what the account deployed there, which nobody else knows.
  if (setBack.has('azure')) yield ['own_deployments', ({ model }) => model.provider === 'azure'];
  if (max === null) return;
  yield ['price_unknown', ({ model }) => model.prices === null];
  yield [
    'above_max_cost',
    ({ model: { prices } }) => prices !== null && (prices.input > max || prices.output > max),
  ];
}

/** What the provider has said of the model. */
function* stateRules({ today }: RoutingQuestion): Generator<Rule> {
  yield ['retired', ({ model }) => model.retiredAt !== null && model.retiredAt <= today];
  yield ['deprecated', ({ model }) => model.deprecated];
  // Where a connection is, only its owner knows; what is served from everywhere has no such prefix, or `global.`.
  yield ['other_region', ({ model }) => model.provider === 'hosted' && regionPrefix.test(model.modelId)];
}

/** Of inference profiles that answer in one part of the world alone. */
const regionPrefix = /^(us|us-gov|eu|jp|au|apac|ca|sa)\./;

/** What the request needs. Where no source says whether a model can, it is taken not to. */
function* needRules({ needs }: RoutingQuestion): Generator<Rule> {
  if (needs.tools) yield ['no_tools', ({ model }) => model.capabilities.tools !== true];
  if (needs.images) yield ['no_images', ({ model }) => model.capabilities.images !== true];
  if (needs.documents) yield ['no_documents', ({ model }) => model.capabilities.documents !== true];
  // Of a third of the models no source says, though most have it: only a word against it counts.
  if (needs.jsonMode) yield ['no_json_mode', ({ model }) => model.capabilities.jsonMode === false];
  if (needs.streaming) yield ['no_streaming', ({ model }) => model.capabilities.streaming === false];
  if (needs.thinking) yield ['no_thinking', ({ model }) => model.capabilities.thinking !== true];
  const tokens = needs.inputTokens + (needs.outputTokensMax ?? 0);
  yield ['context_too_short', ({ model }) => tokens > (model.contextWindow ?? windowTokensUnknown)];
  if (needs.outputTokensMax !== null) yield ['output_too_short', ({ model }) => isShort(model, needs)];
}

/** Where no source names a window, it is taken to be at least this. */
const windowTokensUnknown = 8_192;

function isShort({ maxOutputTokens }: CatalogModel, { outputTokensMax }: Needs): boolean {
  return maxOutputTokens !== null && outputTokensMax !== null && outputTokensMax > maxOutputTokens;
}

function* pinRules({ pin }: RoutingQuestion): Generator<Rule> {
  if (pin?.isBound === true) yield ['session_bound', ({ id }) => id !== pin.id];
}

/** The sandbox and providers of own deployments, unless they are asked for by name or nobody else is there. */
function findSetBack({ models, policy }: RoutingQuestion): ReadonlySet<string> {
  const present = new Set<string>();
  for (const { model } of models) present.add(model.provider);
  const setBack = new Set<string>();
  const usual = [...present].some(
    (name) => name !== 'sandbox' && name !== 'azure' && isAllowed(name, policy),
  );
  const named = (name: string): boolean => policy.allowedProviders?.includes(name) === true;
  if (!named('sandbox') && (usual || present.has('azure'))) setBack.add('sandbox');
  if (!named('azure') && usual) setBack.add('azure');
  return setBack;
}

function isAllowed(provider: string, { allowedProviders }: RoutingPolicy): boolean {
  return allowedProviders === null || allowedProviders.includes(provider);
}

/**
 * What a model that was named for a request cannot do of what it needs. Whoever names a model may know it better than the
 * catalogue: only a source's word against an ability counts, where a choice among all models wants one for it.
 */
export function findLack(
  { capabilities: can, contextWindow, maxOutputTokens }: CatalogModel,
  needs: Needs,
): ExclusionRule | undefined {
  const { outputTokensMax } = needs;
  if (needs.tools && can.tools === false) return 'no_tools';
  if (needs.images && can.images === false) return 'no_images';
  if (needs.documents && can.documents === false) return 'no_documents';
  if (needs.jsonMode && can.jsonMode === false) return 'no_json_mode';
  if (needs.streaming && can.streaming === false) return 'no_streaming';
  if (needs.thinking && can.thinking === false) return 'no_thinking';
  if (contextWindow !== null && needs.inputTokens + (outputTokensMax ?? 0) > contextWindow) {
    return 'context_too_short';
  }
  const isShort = outputTokensMax !== null && maxOutputTokens !== null && outputTokensMax > maxOutputTokens;
  return isShort ? 'output_too_short' : undefined;
}
