/** Tests models outside the catalogue, which either the account declares or a provider lists. */
import {
  auditPage,
  declaredModel,
  declaredModelList,
  routingModelList,
  routingModelStatusList,
} from '@gateway/contracts';
import { sharedStack, type ReplayProvider } from '@gateway/testing';
import { z } from 'zod';
import { connectProvider, createTestAccount, requestIdOf, waitForRow } from './account.fixture.ts';
import { expectError } from './errors.fixture.ts';
import { call, callFor, invalid, notFound, onceEffective, untilEffective } from './governance.fixture.ts';
import { postChat, send } from './http.fixture.ts';
import { plainAnswer, startProvider } from './provider.fixture.ts';

const stack = sharedStack();
const { baseUrl } = stack;
const models = z.object({ data: z.array(z.object({ id: z.string(), kind: z.string() })) });
const say = [{ role: 'user', content: 'Hello' }];
const tool = { type: 'function', function: { name: 'read', parameters: { type: 'object' } } };

/** A model server, such as vLLM or Ollama, which lists its models and answers chat requests. */
let server: ReplayProvider;
let address: string;
let key: string;

const listed = [
  { id: 'llama3.2:latest' },
  { id: 'nomic-embed-text' },
  { id: 'house-8b', max_model_len: 9_000 },
];
/** The names of the models in the chat requests that the server received. */
const asked = (): unknown[] =>
  server.requests
    .filter(({ method }) => method === 'POST')
    .map(({ body }) => (JSON.parse(body.toString('utf8')) as { model: string }).model);

beforeAll(async () => {
  server = await startProvider();
  address = `${server.url}/v1`;
});
afterAll(() => server.close());
beforeEach(async () => {
  server.reset();
  // A request without a body asks for the list of models.
  server.setControls(({ body }) =>
    body.length === 0 ? { ...plainAnswer, body: { object: 'list', data: listed } } : plainAnswer,
  );
  ({ apiKey: key } = await createTestAccount(stack));
});

const connect = (provider: string, base_url = address) =>
  connectProvider(baseUrl, key, { provider, api_key: 'upstream-key-0123', base_url });
const put = (name: string, body: object) =>
  call(200, { method: 'PUT', path: `/v1/account/models/${name}`, key, body });
const chat = (model: string, changes: object = {}) =>
  postChat(baseUrl, key, { model, messages: say, ...changes });
const prices = { input_cost_usd_per_mtok: 2, output_cost_usd_per_mtok: 10 };

describe.each(['ollama', 'vllm', 'custom', 'sambanova'])('the models that %s lists', (provider) => {
  it('are in every list of models, can be switched off, and are chosen before the sandbox', async () => {
    await connect(provider);
    const id = `${provider}/llama3.2:latest`;
    const { data } = await callFor(models, 200, { path: '/v1/models', key });
    expect(data).toEqual(
      expect.arrayContaining([
        expect.objectContaining({ id, kind: 'chat' }),
        expect.objectContaining({ id: `${provider}/nomic-embed-text`, kind: 'embedding' }),
        expect.objectContaining({ id: 'svc/auto' }),
      ]),
    );
    expect(await call(200, { path: `/v1/models/${id}`, key })).toMatchObject({ id, owned_by: provider });
    const routing = await callFor(routingModelList, 200, { path: '/v1/account/routing/models', key });
    expect(routing.data.map((model) => model.id).sort()).toEqual([`${provider}/house-8b`, id]);
    expect(routing.data.find((model) => model.id.endsWith('house-8b'))?.context_window).toBe(9_000);
    expect(routing.excluded).toEqual([
      expect.objectContaining({ id: 'sandbox/sandbox-1', excluded_by: 'sandbox' }),
    ]);

    const answer = await chat('svc/auto');
    expect([answer.status, answer.headers['x-svc-provider']]).toEqual([200, provider]);
    const off = { provider, model_id: 'llama3.2:latest', is_enabled: false };
    await call(200, { path: '/v1/account/routing/models/toggle', key, body: off });
    const status = await callFor(routingModelStatusList, 200, {
      path: '/v1/account/routing/models/status',
      key,
    });
    expect(status.data.find((model) => model.id === id)).toMatchObject({
      is_enabled: false,
      excluded_by: 'turned_off',
    });
    await onceEffective(async () =>
      expect((await chat('svc/cheap')).headers['x-svc-model']).toBe('house-8b'),
    );
    // The catalogue does not contain the model that the provider lists, so no candidate is known to support tools.
    const { error } = expectError(await chat('svc/auto', { tools: [tool] }), {
      ...invalid,
      code: 'no_candidate_model',
    });
    expect(error.message).toContain('no_tools');
  });
});

it('a bare name of a listed model selects its provider', async () => {
  await connect('ollama');
  const answer = await chat('house-8b');
  expect([answer.status, answer.headers['x-svc-provider'], asked()]).toEqual([200, 'ollama', ['house-8b']]);
});

describe('a declared model', () => {
  const full = {
    aliases: ['house'],
    context_window: 32_000,
    max_output_tokens: 4_000,
    capabilities: { tools: true, streaming: true },
    ...prices,
  };

  it('has prices, limits, capabilities and aliases, and takes part in routing', async () => {
    await connect('vllm');
    const shown = declaredModel.parse(await put('vllm/org%2Fhouse-8b', full));
    expect(shown).toMatchObject({ id: 'vllm/org/house-8b', model_id: 'org/house-8b', ...prices });
    expect(shown.capabilities).toMatchObject({ tools: true, images: null });
    expect((await callFor(declaredModelList, 200, { path: '/v1/account/models', key })).data).toEqual([
      shown,
    ]);
    await untilEffective();
    const named = await chat('house');
    expect([named.status, asked()]).toEqual([200, ['org/house-8b']]);
    const row = await waitForRow(baseUrl, key, requestIdOf(named));
    expect(row).toMatchObject({ provider: 'vllm', model: 'org/house-8b', status: 'ok' });
    // The provider reports 1,000 prompt tokens and 100 completion tokens.
    expect(row.cost_usd).toBeCloseTo((1_000 * 2 + 100 * 10) / 1e6, 9);
    const routed = await chat('svc/auto', { tools: [tool] });
    expect([routed.status, routed.headers['x-svc-model']]).toEqual([200, 'org/house-8b']);
  });

  it('replaces facts of the catalogue for this account only', async () => {
    await connect('openai');
    await put('openai/gpt-4o', prices);
    await untilEffective();
    const row = await waitForRow(baseUrl, key, requestIdOf(await chat('openai/gpt-4o')));
    expect(row.cost_usd).toBeCloseTo((1_000 * 2 + 100 * 10) / 1e6, 9);
    const other = await createTestAccount(stack);
    const body = { provider: 'openai', api_key: 'upstream-key-0123', base_url: address };
    await connectProvider(baseUrl, other.apiKey, body);
    const answer = await postChat(baseUrl, other.apiKey, { model: 'openai/gpt-4o', messages: say });
    const foreign = await waitForRow(baseUrl, other.apiKey, requestIdOf(answer));
    expect(foreign.cost_usd).not.toBeCloseTo(row.cost_usd ?? 0, 9);
    expect((await call(200, { path: '/v1/account/models', key: other.apiKey }))['data']).toEqual([]);
  });

  it('is removed by DELETE, and each change is in the audit log', async () => {
    await put('vllm/short-lived', {});
    await put('vllm/short-lived', { context_window: 10 });
    const sent = { method: 'DELETE', path: '/v1/account/models/vllm/short-lived', key };
    expect(await call(200, sent)).toEqual({
      id: 'vllm/short-lived',
      object: 'account.model.deleted',
      deleted: true,
    });
    expectError(await send(baseUrl, sent), notFound);
    const { data } = await callFor(auditPage, 200, { path: '/v1/account/audit', key });
    const actions = data.filter(({ target }) => target?.id === 'vllm/short-lived');
    expect(actions.map(({ action }) => action)).toEqual([
      'routing.model_removed',
      'routing.model_declared',
      'routing.model_declared',
    ]);
    expect(actions[1]?.changes).toEqual({ context_window: { from: null, to: 10 } });
  });

  it.each([
    ['nobody/x', {}, 'invalid_field', 'provider'],
    ['sandbox/x', {}, 'invalid_field', 'provider'],
    ['vllm/x', { input_cost_usd_per_mtok: 1 }, 'invalid_field', 'output_cost_usd_per_mtok'],
    ['vllm/x', { ...prices, input_cost_usd_per_mtok: -1 }, 'invalid_field', 'input_cost_usd_per_mtok'],
    ['vllm/x', { capabilities: { tools: 'yes' } }, 'invalid_field', 'capabilities.tools'],
    ['vllm/x', { context: 5 }, 'unknown_field', 'context'],
    [`vllm/${'x'.repeat(300)}`, {}, 'invalid_field', 'id'],
  ])('with an invalid name or fact is refused: %s %j', async (name, body, code, param) => {
    const answer = await send(baseUrl, { method: 'PUT', path: `/v1/account/models/${name}`, key, body });
    expectError(answer, { ...invalid, code, param });
  });

  it('cannot take the name of another declared model', async () => {
    await put('vllm/one', { aliases: ['shared'] });
    const path = '/v1/account/models/vllm/two';
    const answer = await send(baseUrl, { method: 'PUT', path, key, body: { aliases: ['shared'] } });
    expectError(answer, { ...invalid, code: 'invalid_field', param: 'aliases' });
  });
});

describe('a bare name that several providers have', () => {
  const providerOf = async (model: string) => {
    const answer = await chat(model);
    return answer.status === 200 ? answer.headers['x-svc-provider'] : answer.text;
  };
  const prefer = (provider_order: readonly string[]) =>
    call(200, { method: 'PUT', path: '/v1/account/routing/preferences', key, body: { provider_order } });

  it('selects the maker by default, and the account’s order if the account sets one', async () => {
    await connect('openai');
    await connectProvider(baseUrl, key, {
      provider: 'azure',
      api_key: 'upstream-key-0123',
      base_url: address.replace('/v1', ''),
    });
    expect(await providerOf('gpt-4o')).toBe('openai');
    expect(await prefer(['azure'])).toMatchObject({ provider_order: ['azure'] });
    await onceEffective(async () => expect(await providerOf('gpt-4o')).toBe('azure'));
    await prefer([]);
    await onceEffective(async () => expect(await providerOf('gpt-4o')).toBe('openai'));
  });

  it('is ambiguous without a maker, until the account orders its providers', async () => {
    for (const provider of ['groq', 'novita']) await connect(provider);
    const model = 'meta-llama/llama-4-scout-17b-16e-instruct';
    const { error } = expectError(await chat(model), { ...invalid, code: 'ambiguous_model' });
    expect(error.message).toContain('provider_order');
    await prefer(['novita', 'groq']);
    await onceEffective(async () => expect(await providerOf(model)).toBe('novita'));
  });

  it('accepts only known providers, once each', async () => {
    const path = '/v1/account/routing/preferences';
    for (const provider_order of [['nobody'], ['openai', 'openai']]) {
      const answer = await send(baseUrl, { method: 'PUT', path, key, body: { provider_order } });
      const param = `provider_order[${provider_order.length - 1}]`;
      expectError(answer, { ...invalid, code: 'invalid_field', param });
    }
  });
});
