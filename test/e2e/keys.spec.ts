import { apiKey as apiKeySchema, apiKeyList } from '@gateway/contracts';
import { sharedStack, type ReplayProvider } from '@gateway/testing';
import {
  connectProvider,
  createTestAccount,
  createTestKey,
  type CreatedKey,
  type TestAccount,
} from './account.fixture.ts';
import { edgeUrl } from './edges.fixture.ts';
import { expectError } from './errors.fixture.ts';
import { onceEffective, untilEffective } from './governance.fixture.ts';
import { postChat, send } from './http.fixture.ts';
import { plainAnswer, startProvider } from './provider.fixture.ts';

const stack = sharedStack();
const { baseUrl } = stack;
const hello = { model: 'openai/gpt-4o', messages: [{ role: 'user', content: 'hello' }] };
const named = (...names: string[]) => names.map((name) => ({ type: 'function', function: { name } }));

let provider: ReplayProvider;
let account: TestAccount;

beforeAll(async () => {
  provider = await startProvider();
  provider.setControls(plainAnswer);
  account = await createTestAccount(stack);
  await connectProvider(baseUrl, account.apiKey, {
    provider: 'openai',
    api_key: 'sk-upstream-0123456789',
    base_url: `${provider.url}/v1`,
  });
});
afterEach(() => {
  provider.reset();
  provider.setControls(plainAnswer);
});
afterAll(() => provider.close());

describe('a key', () => {
  it('a key’s expiry is accepted in two formats and returned in one format', async () => {
    const ahead = Math.floor(Date.now() / 1000) + 3600;
    const created = await createTestKey(baseUrl, account.apiKey, {
      name: 'unix',
      expires_at: ahead as unknown as string,
    });
    expect(created.expires_at).toBe(new Date(ahead * 1000).toISOString());
  });

  it('every replica rejects a key within a second of the key’s revocation', async () => {
    const revoked = await createTestKey(baseUrl, account.apiKey, { name: 'revoked' });
    const edges = [baseUrl, edgeUrl(stack, 'tight')];
    for (const edge of edges) expect((await postChat(edge, revoked.key, hello)).status).toBe(200);
    const answer = await send(baseUrl, {
      method: 'DELETE',
      path: `/v1/account/keys/${revoked.id}`,
      key: account.apiKey,
    });
    expect(answer.json()).toEqual({ id: revoked.id, object: 'api_key.deleted', deleted: true });
    await onceEffective(async () => {
      for (const edge of edges) {
        const refused = await postChat(edge, revoked.key, hello);
        expectError(refused, { status: 401, type: 'authentication_error', code: 'invalid_api_key' });
      }
    });
    const listed = apiKeyList.parse((await send(baseUrl, { path: '/v1/keys', key: account.apiKey })).json());
    expect(listed.data.map(({ id }) => id)).not.toContain(revoked.id);
  });
});

describe('tool lists', () => {
  let limited: CreatedKey;
  beforeAll(async () => {
    limited = await createTestKey(baseUrl, account.apiKey, { name: 'limited', rate_limit_rpm: 10_000 });
  });

  const put = async (body: object) => {
    const path = `/v1/account/keys/${limited.id}/toollist`;
    const answer = await send(baseUrl, { method: 'PUT', path, key: account.apiKey, body });
    expect({ status: answer.status, text: answer.text }).toMatchObject({ status: 200 });
    await untilEffective();
    return apiKeySchema.parse(answer.json());
  };
  const forwardedOf = async (extra: object = {}) => {
    const body = { ...hello, tools: named('read', 'write', 'erase'), ...extra };
    const answer = await postChat(baseUrl, limited.key, body);
    expect(answer.status).toBe(200);
    const sent = JSON.parse(provider.requests.at(-1)!.body.toString('utf8')) as {
      tools?: { function: { name: string } }[];
    };
    return { names: sent.tools?.map((tool) => tool.function.name), sent, headers: answer.headers };
  };

  it('changed tool lists apply within a second: allowed, denied, denied overrides allowed, and null clears the list', async () => {
    expect((await forwardedOf()).names).toEqual(['read', 'write', 'erase']);
    expect(await put({ denied_tools: ['erase'] })).toMatchObject({ denied_tools: ['erase'] });
    expect((await forwardedOf()).names).toEqual(['read', 'write']);
    expect(await put({ allowed_tools: ['erase', 'read'] })).toMatchObject({
      allowed_tools: ['erase', 'read'],
      denied_tools: ['erase'],
    });
    const both = await forwardedOf();
    expect(both.names).toEqual(['read']);
    // The gateway never sends denied tools to the model.
    expect(both.headers).toMatchObject({ 'x-svc-tools-input': '3', 'x-svc-prune-ratio': '1/3' });
    expect(await put({ allowed_tools: null, denied_tools: null })).toMatchObject({ allowed_tools: null });
    expect((await forwardedOf()).names).toEqual(['read', 'write', 'erase']);
  }, 20_000);

  it('all tool fields are removed from a request if the key’s tool lists allow no tool', async () => {
    await put({ allowed_tools: [] });
    const { sent } = await forwardedOf({ tool_choice: 'auto', parallel_tool_calls: true });
    expect(sent).not.toHaveProperty('tools');
    expect(sent).not.toHaveProperty('tool_choice');
    expect(sent).not.toHaveProperty('parallel_tool_calls');
    await put({ allowed_tools: null });
  });

  it('tool lists also apply to a forced tool and to a duplicate tool list in the body', async () => {
    await put({ denied_tools: ['erase'] });
    const forced = { type: 'function', function: { name: 'erase' } };
    const body = { ...hello, tools: named('read', 'erase'), tool_choice: forced };
    expectError(await postChat(baseUrl, limited.key, body), {
      status: 400,
      type: 'invalid_request_error',
      code: 'tool_not_allowed',
      param: 'tool_choice',
    });
    const twice = `{"tools":${JSON.stringify(named('erase'))},${JSON.stringify({ ...hello, tools: named('read') }).slice(1)}`;
    expectError(await postChat(baseUrl, limited.key, twice), {
      status: 400,
      type: 'invalid_request_error',
      code: 'ambiguous_tools',
      param: 'tools',
    });
    await put({ denied_tools: null });
  });
});
