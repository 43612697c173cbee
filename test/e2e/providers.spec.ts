import { providerConnection, providerConnectionList } from '@gateway/contracts';
import { sharedStack, type ReplayProvider } from '@gateway/testing';
import { connectProvider, createTestAccount, type TestAccount } from './account.fixture.ts';
import { edgeUrl } from './edges.fixture.ts';
import { expectError } from './errors.fixture.ts';
import { findInLogs } from './logs.fixture.ts';
import { postChat, send } from './http.fixture.ts';
import { plainAnswer, startProvider } from './provider.fixture.ts';

const stack = sharedStack();
const { baseUrl } = stack;
const path = '/v1/account/providers';
const firstKey = 'sk-first-credential-0123456789-wxyz';
const secondKey = 'sk-second-credential-0123456789-abcd';
const hello = (provider: string, model = 'some-model') => ({
  model: `${provider}/${model}`,
  messages: [{ role: 'user', content: 'hello' }],
});
const invalid = { status: 400, type: 'invalid_request_error' };

let provider: ReplayProvider;
let elsewhere: ReplayProvider;
let account: TestAccount;

beforeAll(async () => {
  [provider, elsewhere] = await Promise.all([startProvider(), startProvider()]);
  account = await createTestAccount(stack);
});
beforeEach(() => {
  for (const each of [provider, elsewhere]) {
    each.reset();
    each.setControls(plainAnswer);
  }
});
afterAll(() => Promise.all([provider.close(), elsewhere.close()]));

const list = async (key = account.apiKey) => {
  const answer = await send(baseUrl, { path, key });
  expect(answer.text).not.toMatch(/sk-first|sk-second/);
  return providerConnectionList.parse(answer.json()).data;
};
const find = async (name: string, key?: string) => (await list(key)).find((each) => each.provider === name);
const remove = (name: string, key = account.apiKey) =>
  send(baseUrl, { method: 'DELETE', path: `${path}/${name}`, key });

it('a provider can be connected, rotated and disconnected, and its key is never shown again', async () => {
  expect(await find('openai')).toMatchObject({ connected: false, credential_hint: null });
  expect(await find('sandbox')).toMatchObject({ connected: true, credential_hint: null });

  const base_url = `${provider.url}/v1`;
  const put = { provider: 'openai', api_key: firstKey, base_url };
  const connected = await connectProvider(baseUrl, account.apiKey, put);
  expect(connected.text).not.toContain(firstKey);
  const shown = providerConnection.parse(connected.json());
  expect(shown).toMatchObject({ connected: true, credential_hint: '…wxyz', base_url, rotated_at: null });
  expect(await find('openai')).toEqual(shown);
  expect((await postChat(baseUrl, account.apiKey, hello('openai'))).status).toBe(200);
  expect(provider.requests.at(-1)!.headers.authorization).toBe(`Bearer ${firstKey}`);

  const rotated = await connectProvider(baseUrl, account.apiKey, { ...put, api_key: secondKey });
  expect(rotated.json()).toMatchObject({ credential_hint: '…abcd', rotated_at: expect.any(String) });
  expect((await postChat(baseUrl, account.apiKey, hello('openai'))).status).toBe(200);
  expect(provider.requests.at(-1)!.headers.authorization).toBe(`Bearer ${secondKey}`);

  const deleted = await remove('openai');
  expect(deleted.json()).toEqual({ provider: 'openai', object: 'provider.deleted', deleted: true });
  const refused = await postChat(baseUrl, account.apiKey, hello('openai'));
  expectError(refused, { ...invalid, code: 'provider_not_connected', param: 'model' });
  expectError(await remove('openai'), { status: 404, type: 'not_found_error', code: 'not_found' });
  expect(provider.requests).toHaveLength(2);
});

it('a credential is sent only to the address for which it was saved', async () => {
  const connect = (name: string, api_key: string, at: ReplayProvider) =>
    connectProvider(baseUrl, account.apiKey, { provider: name, api_key, base_url: `${at.url}/v1` });
  await connect('groq', firstKey, provider);
  await connect('mistral', secondKey, elsewhere);
  // The gateway does not follow the redirect, so the credential stays with the provider.
  provider.enqueue(null, { status: 307, headers: { location: `${elsewhere.url}/v1/chat/completions` } });
  const redirected = await postChat(baseUrl, account.apiKey, hello('groq'));
  expectError(redirected, { status: 502, type: 'api_error', code: 'upstream_invalid' });
  expect((await postChat(baseUrl, account.apiKey, hello('groq'))).status).toBe(200);
  expect((await postChat(baseUrl, account.apiKey, hello('mistral'))).status).toBe(200);
  // A new address requires a new credential. The gateway does not send the old credential to the new address.
  await connect('groq', secondKey, elsewhere);
  expect((await postChat(baseUrl, account.apiKey, hello('groq'))).status).toBe(200);
  const keysAt = ({ requests }: ReplayProvider) => requests.map(({ headers }) => headers.authorization);
  expect(keysAt(provider)).toEqual([`Bearer ${firstKey}`, `Bearer ${firstKey}`]);
  expect(keysAt(elsewhere)).toEqual([`Bearer ${secondKey}`, `Bearer ${secondKey}`]);
});

it('another account cannot read, use or remove a provider connection', async () => {
  const stranger = await createTestAccount(stack);
  const base_url = `${provider.url}/v1`;
  await connectProvider(baseUrl, account.apiKey, { provider: 'xai', api_key: firstKey, base_url });
  expect(await find('xai', stranger.apiKey)).toMatchObject({ connected: false });
  const used = await postChat(baseUrl, stranger.apiKey, hello('xai'));
  expectError(used, { ...invalid, code: 'provider_not_connected' });
  expect((await remove('xai', stranger.apiKey)).status).toBe(404);
  expect(await find('xai')).toMatchObject({ connected: true });
});

describe('the egress guard', () => {
  it.each([
    'http://10.0.0.1/v1',
    'http://192.168.1.1/v1',
    'http://169.254.169.254/latest/meta-data',
    'http://[fd00::1]/v1',
    'http://[::ffff:10.0.0.1]/v1',
    'http://0x0a000001/v1',
    'http://0/v1',
  ])('the egress guard refuses to store %s', async (base_url) => {
    const body = { provider: 'openai', api_key: firstKey, base_url };
    const answer = await send(baseUrl, { method: 'PUT', path, key: account.apiKey, body });
    expectError(answer, { ...invalid, code: 'egress_denied' });
  });

  it.each(['http://127.0.0.1:1/v1', 'http://localhost:1/v1', 'http://[::1]:1/v1'])(
    'an edge that allows only public internet addresses neither stores nor calls the address %s',
    async (base_url) => {
      const closed = edgeUrl(stack, 'closed');
      const body = { provider: 'cerebras', api_key: firstKey, base_url };
      const literal = !base_url.includes('localhost');
      const answer = await send(closed, { method: 'PUT', path, key: account.apiKey, body });
      if (literal) expectError(answer, { ...invalid, code: 'egress_denied' });
      // The first edge allows private addresses, so the account can store the provider's private address.
      // The second edge forbids private addresses, so it must refuse to call the provider.
      await connectProvider(baseUrl, account.apiKey, body);
      const called = await postChat(closed, account.apiKey, hello('cerebras'));
      expectError(called, { ...invalid, code: 'egress_denied' });
    },
  );

  it("every account's providers are forbidden to use a private address, although the sandbox has a private address", async () => {
    const closed = edgeUrl(stack, 'closed');
    const served = await postChat(closed, account.apiKey, hello('sandbox', 'sandbox-1'));
    expect(served.status).toBe(200);
    const sandbox = new URL(stack.dev.services['sandbox-provider']?.url ?? '');
    for (const base_url of [`http://localhost:${new URL(provider.url).port}/v1`, `${provider.url}/v1`]) {
      await connectProvider(baseUrl, account.apiKey, { provider: 'cerebras', api_key: firstKey, base_url });
      const called = await postChat(closed, account.apiKey, hello('cerebras'));
      expectError(called, { ...invalid, code: 'egress_denied' });
    }
    expect(provider.requests).toHaveLength(0);
    // The sandbox's address is also forbidden for an account's provider connection.
    const body = { provider: 'cerebras', api_key: firstKey, base_url: `${sandbox.origin}/v1` };
    const stored = await send(closed, { method: 'PUT', path, key: account.apiKey, body });
    expectError(stored, { ...invalid, code: 'egress_denied' });
  });

  it('the egress guard detects host names that resolve to a private address', async () => {
    const body = {
      provider: 'cerebras',
      api_key: firstKey,
      base_url: `http://localhost:${new URL(provider.url).port}/v1`,
    };
    await connectProvider(baseUrl, account.apiKey, body);
    const called = await postChat(edgeUrl(stack, 'closed'), account.apiKey, hello('cerebras'));
    expectError(called, { ...invalid, code: 'egress_denied' });
    expect(provider.requests).toHaveLength(0);
  });
});

it.each<[string, object, string, string]>([
  ['an unknown provider', { provider: 'nobody', api_key: 'x' }, 'invalid_field', 'provider'],
  [
    'the sandbox, which needs no credential',
    { provider: 'sandbox', api_key: 'x' },
    'invalid_field',
    'provider',
  ],
  ['no key', { provider: 'openai' }, 'missing_field', 'api_key'],
  [
    'an invalid address',
    { provider: 'openai', api_key: 'x', base_url: 'nowhere' },
    'invalid_field',
    'base_url',
  ],
  [
    'a file',
    { provider: 'openai', api_key: 'x', base_url: 'file:///etc/passwd' },
    'invalid_field',
    'base_url',
  ],
  ['an unknown field', { provider: 'openai', api_key: 'x', bogus: 1 }, 'unknown_field', 'bogus'],
])('%s: the error names the field of the provider record', async (_what, body, code, param) => {
  const answer = await send(baseUrl, { method: 'PUT', path, key: account.apiKey, body });
  expectError(answer, { ...invalid, code, param });
});

it('no log contains a provider credential that a test stored or sent', () => {
  expect(findInLogs(stack, [firstKey, secondKey])).toEqual([]);
});
