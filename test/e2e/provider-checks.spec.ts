/** Tests how the gateway checks a credential when its provider is connected, and the outcome that it shows. */
import { sharedStack, type ReplayProvider } from '@gateway/testing';
import { eventually } from '../integration/stack.fixture.ts';
import { createTestAccount, type TestAccount } from './account.fixture.ts';
import { expectError } from './errors.fixture.ts';
import { edgeUrl } from './edges.fixture.ts';
import { invalid } from './governance.fixture.ts';
import { postChat, send } from './http.fixture.ts';
import { findInLogs } from './logs.fixture.ts';
import { plainAnswer, startProvider } from './provider.fixture.ts';
import { connectionsOf, newSecret, providersPath } from './providers.fixture.ts';

const stack = sharedStack();
const secrets: string[] = [];
const secretOf = (): string => {
  const secret = newSecret();
  secrets.push(secret);
  return secret;
};

let provider: ReplayProvider;
let account: TestAccount;
let connections: ReturnType<typeof connectionsOf>;
let baseUrl: string;

beforeAll(async () => {
  provider = await startProvider();
  baseUrl = `${provider.url}/v1`;
});
beforeEach(async () => {
  provider.reset();
  account = await createTestAccount(stack);
  connections = connectionsOf(account.apiKey);
});
afterAll(() => provider.close());

const chat = () =>
  postChat(stack.baseUrl, account.apiKey, { model: 'openai/m', messages: [{ role: 'user', content: 'hi' }] });

/** Accepts one key, and rejects all other requests with an error that quotes the rejected key. */
function acceptOnly(key: string): void {
  provider.setControls(({ headers }) => {
    if (headers.authorization === `Bearer ${key}`) return plainAnswer;
    return { ...plainAnswer, status: 401, body: { error: { message: `Wrong: ${headers.authorization}` } } };
  });
}

it('a key that the provider accepts is verified by one cheap call with the key, and one without', async () => {
  const api_key = secretOf();
  acceptOnly(api_key);
  const shown = await connections.connect({ provider: 'openai', api_key, base_url: baseUrl });
  expect(shown).toMatchObject({ connected: true, verified: true, last_error: null });
  expect(await connections.find('openai')).toEqual(shown);
  const sent = provider.checks.map(({ method, url, headers }) => [method, url, headers.authorization]);
  expect(sent).toEqual([
    ['GET', '/v1/models', `Bearer ${api_key}`],
    ['GET', '/v1/models', undefined],
  ]);
  expect(provider.requests).toEqual([]);
});

it('additional keys are checked too, and the record names the key that the provider rejects', async () => {
  const [api_key, wrong] = [secretOf(), secretOf()];
  acceptOnly(api_key);
  const body = { provider: 'openai', api_key, additional_api_keys: [wrong], base_url: baseUrl };
  expect(await connections.connect(body)).toMatchObject({
    ...{ connected: true, verified: true },
    last_error: 'The provider refused the additional key 1 with status 401.',
  });
  provider.setControls(plainAnswer);
  expect(await connections.connect(body)).toMatchObject({ connected: true, last_error: null });
});

it('a key that the provider rejects is stored, and the record shows the status but not the key', async () => {
  acceptOnly('another-key');
  const api_key = secretOf();
  const answer = await connections.put({ provider: 'openai', api_key, base_url: baseUrl });
  expect(answer.status).toBe(200);
  expect(answer.json()).toMatchObject({
    ...{ connected: true, verified: false },
    last_error: 'The provider refused the credential with status 401.',
  });
  expect(answer.text).not.toContain(api_key.slice(0, -4));
  acceptOnly(api_key);
  expect((await chat()).status).toBe(200);
  const working = { connected: true, verified: true, last_error: null };
  await eventually(async () => {
    const { connected, verified, last_error } = await connections.find('openai');
    return verified ? { connected, verified, last_error } : null;
  }).then((shown) => expect(shown).toEqual(working));
});

it.each([
  ['has no list of models', { status: 404 }, null],
  ['serves its list of models to everyone', plainAnswer, null],
  [
    'has a temporary error',
    { status: 503 },
    'The provider returned the status 503 when the credential was checked.',
  ],
])(
  'a key of a provider that %s is stored but not verified, until a request succeeds',
  async (_, controls, last_error) => {
    provider.setControls(controls);
    const connected = await connections.connect({
      provider: 'openai',
      api_key: secretOf(),
      base_url: baseUrl,
    });
    expect(connected).toMatchObject({ connected: true, verified: false, last_error });
    provider.setControls(plainAnswer);
    expect((await chat()).status).toBe(200);
    const shown = await eventually(async () => {
      const found = await connections.find('openai');
      return found.verified ? found : null;
    });
    expect(shown.last_error).toBeNull();
  },
);

it('an unreachable or silent provider delays the answer by at most the limit, and the key is kept', async () => {
  const gone = await startProvider();
  await gone.close();
  const down = await connections.connect({
    ...{ provider: 'openai', api_key: secretOf(), base_url: `${gone.url}/v1` },
  });
  expect(down).toMatchObject({
    ...{ connected: true, verified: false },
    last_error: 'The gateway could not reach the provider to check the credential.',
  });
  provider.setControls({ hang: 'before-headers' });
  const startedAt = performance.now();
  const silent = await connections.connect({ provider: 'openai', api_key: secretOf(), base_url: baseUrl });
  // The time limit of the credential check is 3 s, and the other 5 s are for a busy machine.
  expect(performance.now() - startedAt).toBeLessThan(8_000);
  expect(silent).toMatchObject({
    ...{ connected: true, verified: false },
    last_error: 'The provider did not respond in time when the credential was checked.',
  });
  provider.setControls(plainAnswer);
  expect((await chat()).status).toBe(200);
});

it('the check follows the egress rules: a name that resolves to a private address gets no call', async () => {
  const body = {
    ...{ provider: 'openai', api_key: secretOf() },
    base_url: `https://localhost:${new URL(provider.url).port}/v1`,
  };
  const answer = await send(edgeUrl(stack, 'closed'), {
    ...{ method: 'PUT', path: providersPath, key: account.apiKey, body },
  });
  expect(answer.json()).toMatchObject({
    ...{ connected: true, verified: false },
    last_error: 'The operator’s egress rules do not allow the address of the provider.',
  });
  expect(provider.checks).toEqual([]);
});

it('a server without authentication is verified by its list of models', async () => {
  provider.setControls(plainAnswer);
  const shown = await connections.connect({ provider: 'custom', base_url: baseUrl });
  expect(shown).toMatchObject({ connected: true, verified: true, last_error: null });
});

it.each([
  ['a line break', 'sk-0123456789abcdef\n', /contains white space/],
  ['a space', ' sk-0123456789abcdef', /contains white space/],
  ['the scheme', 'Bearer sk-0123456789abcdef', /without the word "Bearer"/],
  ['a key of another provider', 'sk-ant-api03-0123456789abcdef', /a key of Anthropic/],
  ['a placeholder', 'your-api-key-here', /placeholder/],
])('%s in a key is refused with the reason, and nothing is stored', async (_, api_key, reason) => {
  const answer = await connections.put({ provider: 'openai', api_key });
  expectError(answer, { ...invalid, code: 'invalid_field', param: 'api_key' });
  expect(answer.text.replaceAll('\\"', '"')).toMatch(reason);
  expect(answer.text).not.toContain(api_key.trim());
  expect(await connections.find('openai')).toMatchObject({ connected: false, verified: false });
});

it('the record names the fields that are needed together, and a missing field is explained', async () => {
  const { fields } = await connections.find('hosted');
  expect(fields.one_of).toEqual([
    { required: ['access_key_id', 'secret_access_key'], optional: ['session_token'] },
    { required: ['api_key'], optional: [] },
  ]);
  expect((await connections.find('openai')).fields).not.toHaveProperty('one_of');
  const answer = await connections.put({ provider: 'hosted', access_key_id: 'AKIAIOSFODNN7EXAMPLE' });
  expectError(answer, { ...invalid, code: 'missing_field', param: 'secret_access_key' });
  expect(answer.json()).toMatchObject({
    error: {
      message: 'The provider hosted needs "access_key_id" together with "secret_access_key", or "api_key".',
    },
  });
});

it('a checked credential appears in no log', () => {
  expect(findInLogs(stack, secrets)).toEqual([]);
});
