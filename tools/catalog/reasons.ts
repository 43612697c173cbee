import type { ModelRecordInput } from '@gateway/model-catalog';

type Dispute = NonNullable<ModelRecordInput['disputes']>[number];

interface Reason {
  readonly provider: string;
  readonly modelId: RegExp;
  readonly reason: string;
}

interface KeptValue extends Reason {
  /** The name of the model list that has a different value. */
  readonly source: string;
  readonly field: RegExp;
}

const because = (provider: string, modelId: RegExp, reason: string): Reason => ({
  provider,
  modelId,
  reason,
});

/** Current models without a price. A model without a price has unknown costs, not zero costs. */
const missingPrices: readonly Reason[] = [
  because('mistral', /^(labs-leanstral|voxtral-mini-latest)/, 'a preview without a public price'),
  because('groq', /^groq\/compound/, 'the price is that of the models and tools that it calls'),
  because(
    'openrouter',
    /^(?:openrouter\/(?:auto|bodybuilder|fusion|pareto)|auto$|typesafe\/jev-router)/,
    'a router: the price is that of the model that it chooses',
  ),
  because('zai', /-highspeed$/, 'the list has no price for the fast variant'),
  because('anthropic', /^claude-mythos-5-2$/, 'by invitation only, without a public price'),
  because('google', /^gemma-/, 'has only a free tier'),
  because('googleopenai', /^gemma-/, 'has only a free tier'),
  because('cohere', /^c4ai-aya-/, 'a research model without a public price'),
  because('cohereopenai', /^c4ai-aya-/, 'a research model without a public price'),
  because('azure', /^grok-/, 'Azure publishes no price for it'),
];

const keep = (
  provider: string,
  modelId: RegExp,
  field: RegExp,
  source: string,
  reason: string,
): KeptValue => ({ provider, modelId, field, source, reason });

const price = /^(?:input|output|cacheRead|cacheWrite)$/;
const bedrockOpenai =
  'the gateway calls Bedrock on Converse, on which pi-ai calls these models; models.dev has another address';
const cheaperReads = 'cached reads fell from 0.2 to 0.1 by 2026-10-08 (Anthropic, models overview)';
const bareClaude =
  'an id without a region has the global price; genai-prices has the regional one (10% more)';
const latest = 'an alias: the price is that of the model that it meant when the newest page was read';
const imageOutput = "the list's output price is for images, that of genai-prices for text";

/** Catalogue values that are kept although a source has a different value. */
const keptValues: readonly KeptValue[] = [
  // Conflicts with a source that has outdated prices.
  ...['anthropic', 'hosted'].flatMap((provider) => [
    keep(provider, /claude-sonnet-5-5$/, /^prices$/, 'facts', cheaperReads),
    keep(provider, /^(?:\w+\.anthropic\.)?claude-sonnet-5-5$/, /^cacheRead$/, 'genai-prices', cheaperReads),
  ]),
  keep('mistral', /^(?:mini|vox)/, /^prices$/, 'facts', 'the price of the newer list'),
  keep('mistral', /-latest$/, price, 'genai-prices', latest),
  keep('together', /^Qwen\//, /^prices$/, 'facts', 'the price of the newer list'),
  keep('together', /^meta-llama\//, price, 'genai-prices', 'models.dev and pi-ai agree on another price'),
  keep('fireworks', /deepseek/, /^prices$/, 'facts', 'the price of the newer list'),
  keep('fireworks', /gpt-oss/, price, 'genai-prices', 'models.dev and pi-ai agree on another price'),
  keep('novita', /./, price, 'genai-prices', "the price of the newer list; Novita's prices change often"),
  keep(
    'openrouter',
    /./,
    price,
    'genai-prices',
    'the price of the newer list: OpenRouter has the price of the cheapest host, which changes often',
  ),
  // Conflicts with a source that lists prices for other times, places or output types than the catalogue.
  keep(
    'deepseek',
    /./,
    /^(?:prices|input|output|cacheRead)$/,
    'genai-prices',
    'an off-peak or an older price; the catalogue has the peak price, and half of it at other times',
  ),
  keep(
    'deepseek',
    /./,
    /^prices$/,
    'facts',
    'an off-peak or an older price; the catalogue has the peak price, and half of it at other times',
  ),
  keep('hosted', /^anthropic\.claude-/, price, 'genai-prices', bareClaude),
  keep(
    'hosted',
    /^(?:apac|ca|eu|jp)\.amazon\.nova/,
    price,
    'genai-prices',
    'genai-prices ignores the region',
  ),
  keep('hosted', /^us-gov\./, price, 'genai-prices', 'genai-prices ignores the region'),
  keep('azure', /^phi-4/, price, 'genai-prices', 'the price of the newer list'),
  ...['google', 'vertex', 'googleopenai'].map((provider) =>
    keep(provider, /-image(?:-preview)?$/, /^output$/, 'genai-prices', imageOutput),
  ),
  ...['google', 'googleopenai'].flatMap((provider) => [
    keep(provider, /-latest$/, /^prices$/, 'facts', latest),
    keep(provider, /^gemini-4-argon$/, /^max_output$/, 'facts', "Google's own page states 65,536"),
  ]),
  // Conflicts about facts other than prices.
  keep('hosted', /openai\./, /^apis$/, 'facts', bedrockOpenai),
  keep('openai', /-pro$/, /^apis$/, 'facts', "OpenAI's own page names only the Responses API"),
  keep('deepseek', /^deepseek-v4-pro$/, /^identity$/, 'facts', "DeepSeek's own page names the model"),
  keep('xai', /^grok-4\.5$/, /^cache_read$/, 'facts', 'two lists agree; the launch pages are older'),
  keep('xai', /^grok-4\.6$/, /^release_date$/, 'facts', 'no decision depends on five days'),
  keep(
    'mistral',
    /^mistral-large-4/,
    /^prices$/,
    'facts',
    "two newer lists agree; the other prices are a sale's and a reseller's",
  ),
  keep(
    'mistral',
    /^mistral-large-4/,
    /^context$/,
    'facts',
    'two newer lists agree; the other value is of a reseller',
  ),
  keep('mistral', /./, /^retires$/, 'facts', 'not announced: the model is only missing on the price page'),
];

/** Models in the fact list that the catalogue lacks. */
const absentModels: readonly Reason[] = [
  because('minimax', /./, 'no provider of the gateway'),
  because('cohere', /^north-mini-code/, 'served only at the address of cohereopenai, which has it'),
];

/**
 * Returns the reason why a model of the fact list is not in the catalogue. If no reason is found, the
 * catalogue check fails.
 */
export function explainAbsence(provider: string, modelId: string): string | undefined {
  return absentModels.find((each) => each.provider === provider && each.modelId.test(modelId))?.reason;
}

/** Providers for which the gateway uses an API other than the API in the fact list. */
const otherApis: readonly Reason[] = [
  because('fireworks', /./, 'Fireworks serves the same models on chat-completions and on messages'),
];

/**
 * Returns the reason why the catalogue does not use the API that the fact list names. Without a reason, the
 * test of the shipped catalogue fails.
 */
export function explainOtherApi(provider: string, modelId: string): string | undefined {
  return otherApis.find((each) => each.provider === provider && each.modelId.test(modelId))?.reason;
}

/**
 * Returns the reason why a current model has no price. If no reason is found, the catalogue check
 * fails.
 */
export function explainMissingPrice({
  provider,
  modelId,
}: Pick<ModelRecordInput, 'provider' | 'modelId'>): string | undefined {
  return missingPrices.find((each) => each.provider === provider && each.modelId.test(modelId))?.reason;
}

/**
 * Returns the reason why the catalogue keeps its value although a source has a different value. If no reason
 * is found, the catalogue check fails.
 */
export function explainDispute(
  provider: string,
  modelId: string,
  { field, source }: Pick<Dispute, 'field' | 'source'>,
): string | undefined {
  return keptValues.find(
    (each) =>
      each.provider === provider &&
      each.source === source &&
      each.modelId.test(modelId) &&
      each.field.test(field),
  )?.reason;
}
