import { sharedStack } from '@gateway/testing';
import { z } from 'zod';
import { connectProvider, createTestAccount, createTestKey, type TestAccount } from './account.fixture.ts';
import { expectError } from './errors.fixture.ts';
import { githubTools } from './github-tools.fixture.ts';
import {
  call,
  callFor,
  expectFields,
  hello,
  invalid,
  replicas,
  onceEffective,
} from './governance.fixture.ts';
import { postChat, send } from './http.fixture.ts';

const stack = sharedStack();
const { baseUrl } = stack;
const preferences = '/v1/account/routing/preferences';
const models = '/v1/account/routing/models';
const defaults = {
  mode: 'auto',
  allowed_providers: null,
  provider_order: [],
  max_cost_usd_per_mtok: null,
  pruning: { mode: 'on', recall_target: 0.95, recovery: true, native: [], learning: false },
  compression: { mode: 'lossless', apply_without_tools: false },
  caching: { markers: true },
  responses: { plan: false },
  fallbacks: [],
  on_budget_exhausted: 'pass',
};

let account: TestAccount;
beforeEach(async () => {
  account = await createTestAccount(stack);
});

const get = (path: string, owner = account) => call(200, { path, key: owner.apiKey });
const put = (body: object) => call(200, { method: 'PUT', path: preferences, key: account.apiKey, body });

describe('routing preferences', () => {
  it('routing preferences have defaults, accept partial updates and are returned in full', async () => {
    expect(await get(preferences)).toEqual(defaults);
    expect(await put({ pruning: { recall_target: 0.99 } })).toEqual({
      ...defaults,
      pruning: { ...defaults.pruning, recall_target: 0.99 },
    });
    const all = {
      mode: 'cheap',
      allowed_providers: ['openai', 'anthropic'],
      max_cost_usd_per_mtok: 0.5,
      pruning: {
        ...{ mode: 'shadow', recall_target: 0.9999, recovery: false, native: ['deferred_loading'] },
        learning: true,
      },
      compression: { mode: 'balanced', apply_without_tools: true },
      caching: { markers: false },
      responses: { plan: true },
      fallbacks: ['openai/gpt-4o', 'anthropic/a-model-of-tomorrow'],
      on_budget_exhausted: 'reject',
      provider_order: ['azure', 'openai'],
    };
    expect(await put(all)).toEqual(all);
    expect(await get(preferences)).toEqual(all);
    expect(await put(await get(preferences))).toEqual(all);
    const cleared = { ...all, allowed_providers: null, max_cost_usd_per_mtok: null, fallbacks: [] };
    expect(await put({ allowed_providers: null, max_cost_usd_per_mtok: null, fallbacks: [] })).toEqual(
      cleared,
    );
    expect(await put({})).toEqual(cleared);
    expect(await get(preferences, await createTestAccount(stack))).toEqual(defaults);
  });

  it('changed routing preferences apply on every replica within a second', async () => {
    // One replica accepts only small request bodies.
    const tools = githubTools.slice(0, 50);
    const body = { ...hello, tools };
    const { key } = await createTestKey(baseUrl, account.apiKey, { name: 'few tools', k_target_override: 3 });
    const forwardsAll = async () => {
      const answers = await Promise.all(replicas(stack).map((edge) => postChat(edge, key, body)));
      expect(answers.map(({ status }) => status)).toEqual([200, 200]);
      return answers.map(({ headers }) => headers['x-svc-tools-output'] === String(tools.length));
    };
    // If planning misses its deadline on the second replica, all tools are forwarded.
    expect((await forwardsAll())[0]).toBe(false);
    await put({ pruning: { mode: 'off' } });
    await onceEffective(async () => expect(await forwardsAll()).toEqual([true, true]));
  });

  it.each([
    [{ mode: 'best' }, 'invalid_field', 'mode'],
    [{ mode: null }, 'invalid_field', 'mode'],
    [{ allowed_providers: [] }, 'invalid_field', 'allowed_providers'],
    [{ allowed_providers: ['openai', 'nobody'] }, 'invalid_field', 'allowed_providers[1]'],
    [{ max_cost_usd_per_mtok: -1 }, 'invalid_field', 'max_cost_usd_per_mtok'],
    [{ pruning: { mode: 'auto' } }, 'invalid_field', 'pruning.mode'],
    [{ pruning: { recall_target: 0.49 } }, 'invalid_field', 'pruning.recall_target'],
    [{ pruning: { recall_target: 1 } }, 'invalid_field', 'pruning.recall_target'],
    [{ pruning: { recovery: 1 } }, 'invalid_field', 'pruning.recovery'],
    [{ pruning: { k: 3 } }, 'unknown_field', 'pruning.k'],
    [{ compression: { mode: 'lossy' } }, 'invalid_field', 'compression.mode'],
    [{ fallbacks: ['no-such-model'] }, 'invalid_field', 'fallbacks[0]'],
    [{ fallbacks: 'openai/gpt-4o' }, 'invalid_field', 'fallbacks'],
    [{ on_budget_exhausted: 'stop' }, 'invalid_field', 'on_budget_exhausted'],
    [{ max_cost: 1 }, 'unknown_field', 'max_cost'],
  ])('routing preferences reject %j', async (body, code, param) => {
    const answer = await send(baseUrl, { method: 'PUT', path: preferences, key: account.apiKey, body });
    expectError(answer, { ...invalid, code, param });
    expect(await get(preferences)).toEqual(defaults);
  });
});

describe('routing models', () => {
  const facts = [
    ...['id', 'object', 'provider', 'model_id', 'context_window', 'max_output_tokens', 'capabilities'],
    ...['input_cost_usd_per_mtok', 'output_cost_usd_per_mtok'],
    ...['cache_read_cost_usd_per_mtok', 'cache_write_cost_usd_per_mtok'],
  ];
  const observed = [
    ...['first_token_p50_ms', 'first_token_p95_ms', 'total_p50_ms', 'total_p95_ms'],
    ...['error_rate', 'requests', 'tool_recall'],
  ];
  const model = z.looseObject({ id: z.string(), is_enabled: z.boolean().optional() });
  const excluded = z.strictObject({ id: z.string(), excluded_by: z.string(), reason: z.string() });
  const modelList = z.strictObject({
    object: z.literal('list'),
    data: z.array(model),
    // Only the list of models for automatic selection has the field `excluded`.
    excluded: z.array(excluded).default([]),
  });
  const listExcluded = async () =>
    (await callFor(modelList, 200, { path: models, key: account.apiKey })).excluded;
  const list = async (path = models, owner = account) =>
    (await callFor(modelList, 200, { path, key: owner.apiKey })).data;
  const connect = () =>
    connectProvider(baseUrl, account.apiKey, { provider: 'openai', api_key: 'sk-upstream-0123456789' });
  const toggle = { method: 'POST', path: `${models}/toggle` };
  const set = (is_enabled: boolean, model_id = 'gpt-5.4') => {
    const body = { provider: 'openai', model_id, is_enabled };
    return call(200, { ...toggle, key: account.apiKey, body });
  };
  const enabledOf = async (id: string, owner = account) =>
    (await list(`${models}/status`, owner)).find((model) => model.id === id)?.is_enabled;

  it('routing models are the chat models of the connected providers, with their properties', async () => {
    expect((await list()).map(({ id }) => id)).toEqual(['sandbox/sandbox-1']);
    await connect();
    const data = await list();
    for (const model of data) expectFields(model, facts);
    expect(new Set(data.map((model) => model['provider']))).toEqual(new Set(['openai']));
    expect(await listExcluded()).toContainEqual({
      id: 'sandbox/sandbox-1',
      excluded_by: 'sandbox',
      reason: expect.stringContaining('only if no other provider is connected') as string,
    });
    expect(data.map(({ id }) => id)).not.toContain('openai/text-embedding-3-small');
    expect(data.find(({ id }) => id === 'openai/gpt-5.4')).toMatchObject({
      object: 'routing.model',
      model_id: 'gpt-5.4',
      context_window: 1_050_000,
      max_output_tokens: 128_000,
      capabilities: { tools: true, images: true },
      input_cost_usd_per_mtok: 2.5,
      output_cost_usd_per_mtok: 15,
    });
    // A deprecated model can be requested by name, but is not chosen automatically.
    expect(await listExcluded()).toContainEqual(
      expect.objectContaining({ id: 'openai/gpt-4o', excluded_by: 'deprecated' }),
    );
  });

  it('a routing model is enabled by default, and its statistics are null without requests', async () => {
    await connect();
    const data = await list(`${models}/status`);
    const listed = [...(await list()), ...(await listExcluded())].map(({ id }) => id);
    expect(data.map(({ id }) => id).sort()).toEqual(listed.sort());
    for (const model of data) {
      expectFields(model, [...facts, 'is_enabled', 'excluded_by', ...observed]);
      expect(model.is_enabled).toBe(true);
      expect(model['requests']).toBe(0);
      for (const field of observed) if (field !== 'requests') expect(model[field]).toBeNull();
    }
  });

  it('an account can remove a model from its own automatic routing and add the model again', async () => {
    await connect();
    expect(await set(false)).toEqual({
      object: 'routing.model_toggle',
      provider: 'openai',
      model_id: 'gpt-5.4',
      is_enabled: false,
    });
    await set(false);
    expect(await enabledOf('openai/gpt-5.4')).toBe(false);
    expect(await enabledOf('openai/gpt-5.4-mini')).toBe(true);
    const other = await createTestAccount(stack);
    await connectProvider(baseUrl, other.apiKey, { provider: 'openai', api_key: 'sk-upstream-9876543210' });
    expect(await enabledOf('openai/gpt-5.4', other)).toBe(true);
    const offered = async () => (await list()).map(({ id }) => id);
    expect(await offered()).not.toContain('openai/gpt-5.4');
    await set(true);
    expect(await enabledOf('openai/gpt-5.4')).toBe(true);
    expect(await offered()).toContain('openai/gpt-5.4');
    await put({ max_cost_usd_per_mtok: 5 });
    expect(await offered()).not.toContain('openai/gpt-5.4');
    expect(await offered()).toContain('openai/gpt-5.4-mini');
    await put({ allowed_providers: ['sandbox'] });
    expect(await offered()).toEqual(['sandbox/sandbox-1']);
  });

  it.each([
    [{ provider: 'nobody' }, { ...invalid, code: 'invalid_field', param: 'provider' }],
    [{ model_id: 'gpt-99' }, { ...invalid, status: 404, code: 'model_not_found', param: 'model_id' }],
    [
      { model_id: 'text-embedding-3-small' },
      { ...invalid, status: 404, code: 'model_not_found', param: 'model_id' },
    ],
    [{ is_enabled: 'no' }, { ...invalid, code: 'invalid_field', param: 'is_enabled' }],
    [{ is_enabled: undefined }, { ...invalid, code: 'missing_field', param: 'is_enabled' }],
    [{ account_id: 'x' }, { ...invalid, code: 'unknown_field', param: 'account_id' }],
  ])('toggling a routing model with %j is rejected', async (change, error) => {
    const body = { provider: 'openai', model_id: 'gpt-4o', is_enabled: false, ...change };
    expectError(await send(baseUrl, { ...toggle, key: account.apiKey, body }), error);
  });
});
