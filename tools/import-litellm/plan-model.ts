/** Maps one entry of LiteLLM's `model_list`. */
import { z } from 'zod';

export const modelEntry = z.looseObject({
  model_name: z.string(),
  litellm_params: z.looseObject({ model: z.string() }),
  model_info: z.record(z.string(), z.unknown()).nullish(),
});
type ModelEntry = z.output<typeof modelEntry>;

/** A field that the import leaves out. */
export interface Unmapped {
  /** The path of the field in the configuration, such as `model_list[0].litellm_params.rpm`. */
  readonly field: string;
  readonly reason: string;
}

/** The state of an import. Each step adds its results. */
export interface Draft {
  readonly connections: Map<string, Connection>;
  /** The declared models by `<provider>/<model>`. */
  readonly models: Map<string, DeclaredModel>;
  /** The models by the name with which clients of LiteLLM call them. */
  readonly names: Map<string, string>;
  readonly unmapped: Unmapped[];
}

/** The body of `PUT /v1/account/providers`. */
export interface Connection extends Readonly<Record<string, unknown>> {
  readonly provider: string;
  readonly additional_api_keys?: readonly unknown[];
}

/** The body of `PUT /v1/account/models/{provider}/{id}`. */
export interface DeclaredModel extends Readonly<Record<string, unknown>> {
  readonly aliases?: readonly string[];
}

/** The gateway's provider for each prefix of LiteLLM's models, where the names differ. */
const renamed: Readonly<Record<string, string>> = {
  bedrock: 'hosted',
  cohere_chat: 'cohere',
  fireworks_ai: 'fireworks',
  gemini: 'google',
  hosted_vllm: 'vllm',
  jina_ai: 'jina',
  nvidia_nim: 'nvidia',
  ollama_chat: 'ollama',
  together_ai: 'together',
  vertex_ai: 'vertex',
};
const sameName = new Set([
  ...[
    'anthropic',
    'azure',
    'cerebras',
    'cohere',
    'dashscope',
    'deepinfra',
    'deepseek',
    'groq',
    'huggingface',
  ],
  ...['mistral', 'moonshot', 'nebius', 'novita', 'ollama', 'openai', 'openrouter', 'perplexity', 'sambanova'],
  ...['vllm', 'voyage', 'xai', 'zai'],
]);
/** The makers of models that LiteLLM accepts without a prefix. */
const makers: readonly (readonly [RegExp, string])[] = [
  [/^(gpt-|o\d|chatgpt-|text-embedding-)/, 'openai'],
  [/^claude-/, 'anthropic'],
];

const credentialFields: Readonly<Record<string, string>> = {
  api_key: 'api_key',
  api_base: 'base_url',
  api_version: 'api_version',
  aws_access_key_id: 'access_key_id',
  aws_secret_access_key: 'secret_access_key',
  aws_session_token: 'session_token',
  aws_region_name: 'region',
  vertex_project: 'project',
  vertex_location: 'region',
};
const priceFields: Readonly<Record<string, string>> = {
  input_cost_per_token: 'input_cost_usd_per_mtok',
  output_cost_per_token: 'output_cost_usd_per_mtok',
  cache_read_input_token_cost: 'cache_read_cost_usd_per_mtok',
  cache_creation_input_token_cost: 'cache_write_cost_usd_per_mtok',
};
const countFields: Readonly<Record<string, string>> = {
  max_input_tokens: 'context_window',
  max_output_tokens: 'max_output_tokens',
};
const capabilityFields: Readonly<Record<string, string>> = {
  supports_function_calling: 'tools',
  supports_vision: 'images',
  supports_pdf_input: 'documents',
  supports_response_schema: 'json_mode',
  supports_reasoning: 'thinking',
};
const reasons: Readonly<Record<string, string>> = {
  rpm: 'Set rate_limit_rpm of an API key.',
  tpm: 'The gateway limits requests and saved tokens, not tokens per minute.',
  timeout: 'The operator sets UPSTREAM_TIMEOUT_MS.',
  max_retries: 'The operator sets UPSTREAM_RETRIES_MAX.',
};
const tokensPerPrice = 1_000_000;

export function note(draft: Draft, field: string, reason: string): void {
  draft.unmapped.push({ field, reason });
}

/** Adds another name of a model. */
export function declareAlias(draft: Draft, id: string, alias: string): void {
  const { aliases = [], ...rest } = draft.models.get(id) ?? {};
  draft.models.set(id, { ...rest, aliases: [...aliases, alias] });
  draft.names.set(alias, id);
}

/** Adds the connection and the declaration of a model to the draft. */
export function addModel(draft: Draft, entry: ModelEntry, path: string): void {
  const target = splitModel(entry.litellm_params);
  if (target === null)
    return note(draft, `${path}.litellm_params.model`, 'The gateway does not know the provider.');
  const id = `${target.provider}/${target.model}`;
  for (const [name, value] of Object.entries(entry.litellm_params)) {
    const field = credentialFields[name];
    if (name === 'model') continue;
    if (field !== undefined)
      addCredential(draft, target.provider, field, value, `${path}.litellm_params.${name}`);
    else addProperty(draft, id, name, value, `${path}.litellm_params.${name}`);
  }
  if (!draft.connections.has(target.provider))
    draft.connections.set(target.provider, { provider: target.provider });
  for (const [name, value] of Object.entries(entry.model_info ?? {}))
    addProperty(draft, id, name, value, `${path}.model_info.${name}`);
  addName(draft, id, entry.model_name, path);
}

/** A model with LiteLLM's prefix `openai` and its own address belongs to an OpenAI-compatible server. */
function splitModel(params: ModelEntry['litellm_params']): { provider: string; model: string } | null {
  const { model: given, api_base: base } = params;
  const [prefix = '', ...rest] = given.split('/');
  if (rest.length === 0) {
    const provider = makers.find(([names]) => names.test(given))?.[1];
    return provider === undefined ? null : { provider, model: given };
  }
  const isOwnServer = prefix === 'openai' && typeof base === 'string' && !base.includes('openai.com');
  const known = renamed[prefix] ?? (sameName.has(prefix) ? prefix : undefined);
  const provider = isOwnServer ? 'custom' : known;
  const model = rest.join('/').replace(/^converse\//, '');
  return provider === undefined ? null : { provider, model };
}

/** Different keys of a provider become additional keys. Other fields have one value per provider. */
function addCredential(draft: Draft, provider: string, field: string, value: unknown, path: string): void {
  const known: Connection = draft.connections.get(provider) ?? { provider };
  const { additional_api_keys: others = [] } = known;
  const before = known[field];
  if (before === undefined) draft.connections.set(provider, { ...known, [field]: value });
  else if (before === value || (field === 'api_key' && others.includes(value))) return;
  else if (field === 'api_key')
    draft.connections.set(provider, { ...known, additional_api_keys: [...others, value] });
  else note(draft, path, `The gateway has one ${field} per provider, and an earlier model sets it.`);
}

function addProperty(draft: Draft, id: string, name: string, value: unknown, path: string): void {
  const declared = draft.models.get(id) ?? {};
  const [price, count, capability] = [priceFields[name], countFields[name], capabilityFields[name]];
  if (price !== undefined && typeof value === 'number') {
    const perMillion = Number((value * tokensPerPrice).toPrecision(12));
    draft.models.set(id, { ...declared, [price]: perMillion });
  } else if (count !== undefined && typeof value === 'number')
    draft.models.set(id, { ...declared, [count]: value });
  else if (capability !== undefined && typeof value === 'boolean') {
    const capabilities = { ...(declared['capabilities'] as object | undefined), [capability]: value };
    draft.models.set(id, { ...declared, capabilities });
  } else note(draft, path, reasons[name] ?? 'The gateway has no such setting.');
}

/** A name that differs from the model's own names becomes an alias. */
function addName(draft: Draft, id: string, name: string, path: string): void {
  const model = id.slice(id.indexOf('/') + 1);
  const known = draft.names.get(name);
  if (known !== undefined && known !== id)
    note(draft, `${path}.model_name`, `The name ${name} belongs to ${known}. Add ${id} to the fallbacks.`);
  else if (name.includes('*') && name !== id && name !== '*')
    note(draft, `${path}.model_name`, 'Aliases cannot contain wildcards.');
  else if (known === undefined && name !== id && name !== model && !name.includes('*'))
    declareAlias(draft, id, name);
  else draft.names.set(name, id);
}
