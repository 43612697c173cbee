import { declaredModelBody, putProviderBody, updatePreferencesBody } from '@gateway/contracts';
import { providerNames } from '@gateway/providers';
import { planImport } from './plan-import.ts';

const entry = (model_name: string, litellm_params: object, model_info?: object) => ({
  model_name,
  litellm_params,
  ...(model_info && { model_info }),
});
const openAi = entry('fast', { model: 'openai/gpt-4o-mini', api_key: 'os.environ/OPENAI_API_KEY' });

it('a model becomes a connection, and another name becomes an alias', () => {
  expect(planImport({ model_list: [openAi] })).toEqual({
    steps: [
      { path: '/v1/account/providers', body: { provider: 'openai', api_key: 'os.environ/OPENAI_API_KEY' } },
      { path: '/v1/account/models/openai/gpt-4o-mini', body: { aliases: ['fast'] } },
    ],
    unmapped: [],
  });
});

it("the model's own name, with or without the provider, needs no declaration", () => {
  const names = ['gpt-4o-mini', 'openai/gpt-4o-mini'];
  const { steps } = planImport({
    model_list: names.map((name) => ({ ...openAi, model_name: name })),
  });
  expect(steps.map(({ path }) => path)).toEqual(['/v1/account/providers']);
});

it('different keys of one provider become additional keys', () => {
  const other = entry('fast', { model: 'openai/gpt-4o-mini', api_key: 'sk-0123456789' });
  const { steps } = planImport({ model_list: [openAi, other, other] });
  expect(steps[0]?.body).toMatchObject({ additional_api_keys: ['sk-0123456789'] });
});

it('prices are converted to USD per million tokens, and limits and capabilities are declared', () => {
  const info = {
    ...{ input_cost_per_token: 0.00000015, output_cost_per_token: 6e-7, max_output_tokens: 4096 },
    supports_function_calling: true,
  };
  const server = { model: 'hosted_vllm/house', api_base: 'http://127.0.0.1:8000/v1' };
  const { steps, unmapped } = planImport({ model_list: [entry('house', server, info)] });
  expect(unmapped).toEqual([]);
  expect(steps[0]?.body).toEqual({ provider: 'vllm', base_url: 'http://127.0.0.1:8000/v1' });
  expect(steps[1]).toEqual({
    path: '/v1/account/models/vllm/house',
    body: {
      ...{ input_cost_usd_per_mtok: 0.15, output_cost_usd_per_mtok: 0.6, max_output_tokens: 4096 },
      capabilities: { tools: true },
    },
  });
});

it('an OpenAI-compatible server is not confused with OpenAI', () => {
  const own = entry('own', { model: 'openai/own', api_base: 'http://127.0.0.1:9000/v1' });
  expect(planImport({ model_list: [own, openAi] }).steps.map(({ body }) => body['provider'])).toEqual([
    ...['custom', 'openai', undefined],
  ]);
});

it('equal fallbacks of all models become the fallbacks of the account', () => {
  const claude = entry('smart', { model: 'anthropic/claude-sonnet-4-5', api_key: 'sk-0123456789' });
  const model_list = [openAi, claude];
  const one = planImport({ model_list, litellm_settings: { fallbacks: [{ fast: ['smart'] }] } });
  expect(one.steps.at(-1)).toEqual({
    path: '/v1/account/routing/preferences',
    body: { fallbacks: ['anthropic/claude-sonnet-4-5'] },
  });
  const two = planImport({
    model_list,
    router_settings: { fallbacks: [{ fast: ['smart'] }, { smart: ['fast'] }] },
  });
  expect(two.unmapped.map(({ field }) => field)).toEqual(['router_settings.fallbacks.smart']);
});

it('every other field is named', () => {
  const limited = entry('fast', { model: 'openai/gpt-4o-mini', rpm: 60, mystery: 1 }, { mode: 'chat' });
  const { unmapped } = planImport({
    model_list: [limited, entry('x', { model: 'sagemaker/x' }), entry('fast', { model: 'groq/y' })],
    litellm_settings: { drop_params: true, cache: true },
    router_settings: { routing_strategy: 'latency-based-routing', model_group_alias: { quick: 'nothing' } },
    general_settings: { master_key: 'sk-1234' },
    environment_variables: { A: 'b' },
  });
  expect(unmapped.map(({ field }) => field)).toEqual([
    ...['model_list[0].litellm_params.rpm', 'model_list[0].litellm_params.mystery'],
    ...['model_list[0].model_info.mode', 'model_list[1].litellm_params.model', 'model_list[2].model_name'],
    ...['router_settings.model_group_alias.quick', 'litellm_settings.drop_params', 'litellm_settings.cache'],
    ...['router_settings.routing_strategy', 'general_settings.master_key', 'environment_variables.A'],
  ]);
});

it('the account API accepts the requests, and the gateway has the providers', () => {
  const prefixes = ['azure', 'bedrock', 'cohere_chat', 'fireworks_ai', 'gemini', 'together_ai', 'nvidia_nim'];
  const { steps } = planImport({
    model_list: [
      openAi,
      entry('claude', { model: 'claude-sonnet-4-5', api_key: 'sk-0123456789' }, { supports_vision: true }),
      ...prefixes.map((prefix) => entry(prefix, { model: `${prefix}/m`, api_key: 'sk-0123456789' })),
    ],
    litellm_settings: { default_fallbacks: ['fast'] },
  });
  expect(steps).toHaveLength(9 + 9 + 1);
  for (const { path, body } of steps) {
    if (path.endsWith('/providers')) {
      expect(putProviderBody.safeParse(body).success).toBe(true);
      expect(providerNames).toContain(body['provider']);
    } else if (path.endsWith('/preferences'))
      expect(updatePreferencesBody.safeParse(body).success).toBe(true);
    else expect(declaredModelBody.safeParse(body).success).toBe(true);
  }
});
