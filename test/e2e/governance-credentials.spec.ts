import { sharedStack, type ReplayProvider } from '@gateway/testing';
import { eventually } from '../integration/stack.fixture.ts';
import { createTestAccount, type TestAccount } from './account.fixture.ts';
import { edgeUrl } from './edges.fixture.ts';
import { expectError } from './errors.fixture.ts';
import { invalid, notFound, onceEffective, replicas, untilEffective } from './governance.fixture.ts';
import { postChat } from './http.fixture.ts';
import { findInLogs } from './logs.fixture.ts';
import { plainAnswer, startProvider } from './provider.fixture.ts';
import { connectionsOf, disconnected, newSecret } from './providers.fixture.ts';

const stack = sharedStack();
const { baseUrl } = stack;
const hello = (model: string) => ({ model, messages: [{ role: 'user', content: 'hello' }] });

let provider: ReplayProvider;
let account: TestAccount;
let connections: ReturnType<typeof connectionsOf>;

beforeAll(async () => {
  provider = await startProvider();
});
beforeEach(async () => {
  provider.reset();
  provider.setControls(plainAnswer);
  account = await createTestAccount(stack);
  connections = connectionsOf(account.apiKey);
});
afterAll(() => provider.close());

const used: string[] = [];
/** Creates a secret that must not appear in any log. */
const secretOf = () => {
  const secret = newSecret();
  used.push(secret);
  return secret;
};

describe('DELETE /v1/account/providers/{provider}', () => {
  it('deleting a provider’s credential ends the connection on every replica within a second', async () => {
    await connections.connect({ provider: 'groq', api_key: secretOf(), base_url: `${provider.url}/v1` });
    for (const edge of replicas(stack)) {
      expect((await postChat(edge, account.apiKey, hello('groq/m'))).status).toBe(200);
    }
    const deleted = await connections.remove('groq');
    expect(deleted.json()).toEqual({ provider: 'groq', object: 'provider.deleted', deleted: true });
    await onceEffective(async () => {
      for (const edge of replicas(stack)) {
        const refused = await postChat(edge, account.apiKey, hello('groq/m'));
        expectError(refused, { ...invalid, code: 'provider_not_connected', param: 'model' });
      }
    });
    expect(await connections.find('groq')).toMatchObject(disconnected);
    expectError(await connections.remove('groq'), notFound);
  });

  it.each(['nobody', 'sandbox', '%2e%2e', 'openai%00', 'x'.repeat(500)])(
    'deleting a provider with the unknown name %s returns a client error',
    async (name) => {
      expect((await connections.remove(name)).status).toBeGreaterThanOrEqual(400);
      expect((await connections.remove(name)).status).toBeLessThan(500);
    },
  );
});

describe('a stored credential', () => {
  it('a stored credential is sent only to the host for which it was saved; another host needs a new credential', async () => {
    const elsewhere = await startProvider();
    try {
      elsewhere.setControls(plainAnswer);
      const [first, second] = [secretOf(), secretOf()];
      await connections.connect({ provider: 'openai', api_key: first, base_url: `${provider.url}/v1` });
      expect((await postChat(baseUrl, account.apiKey, hello('openai/m'))).status).toBe(200);
      const moved = await connections.put({ provider: 'openai', base_url: `${elsewhere.url}/v1` });
      expectError(moved, { ...invalid, code: 'missing_field', param: 'api_key' });
      await connections.connect({ provider: 'openai', api_key: second, base_url: `${elsewhere.url}/v1` });
      await untilEffective();
      expect((await postChat(baseUrl, account.apiKey, hello('openai/m'))).status).toBe(200);
      const keysAt = ({ requests }: ReplayProvider) => requests.map(({ headers }) => headers.authorization);
      expect(keysAt(provider)).toEqual([`Bearer ${first}`]);
      expect(keysAt(elsewhere)).toEqual([`Bearer ${second}`]);
    } finally {
      await elsewhere.close();
    }
  });

  it('a server without authentication needs no credential, and the gateway sends no key to the server', async () => {
    await connections.connect({ provider: 'custom', base_url: `${provider.url}/v1` });
    expect((await postChat(baseUrl, account.apiKey, hello('custom/m'))).status).toBe(200);
    expect(provider.requests[0]!.headers.authorization).toBeUndefined();
    expect(JSON.stringify(provider.requests[0]!.headers)).not.toContain(account.apiKey);
  });

  it('another account cannot use a stored credential', async () => {
    const stranger = await createTestAccount(stack);
    const others = connectionsOf(stranger.apiKey);
    await connections.connect({ provider: 'openai', api_key: secretOf(), base_url: `${provider.url}/v1` });
    expect(await others.find('openai')).toMatchObject(disconnected);
    const chat = await postChat(baseUrl, stranger.apiKey, hello('openai/m'));
    expectError(chat, { ...invalid, code: 'provider_not_connected' });
    expectError(await others.remove('openai'), notFound);
    await others.put({ provider: 'openai', api_key: secretOf(), base_url: `${provider.url}/v1` });
    await others.remove('openai');
    await untilEffective();
    expect((await postChat(baseUrl, account.apiKey, hello('openai/m'))).status).toBe(200);
    expect(provider.requests).toHaveLength(1);
  });

  it('a stored credential is not sent to an address that the egress guard forbids', async () => {
    const private_url = 'http://10.1.2.3/v1';
    const refused = await connections.put({
      provider: 'custom',
      api_key: newSecret(),
      base_url: private_url,
    });
    expectError(refused, { ...invalid, code: 'egress_denied' });
    await connections.connect({ provider: 'custom', api_key: secretOf(), base_url: `${provider.url}/v1` });
    const called = await postChat(edgeUrl(stack, 'closed'), account.apiKey, hello('custom/m'));
    expectError(called, { ...invalid, code: 'egress_denied' });
    expect(provider.requests).toHaveLength(0);
  });

  it('the record of a stored credential shows the last use, then the provider’s rejection, then a later success', async () => {
    const api_key = secretOf();
    await connections.connect({ provider: 'openai', api_key, base_url: `${provider.url}/v1` });
    const quoting = { error: { message: `Incorrect API key provided: ${api_key}`, code: 'invalid_api_key' } };
    provider.setControls({ ...plainAnswer, status: 401, body: quoting });
    const refused = await postChat(baseUrl, account.apiKey, hello('openai/m'));
    expect(refused.status).toBe(401);
    expect(refused.text).not.toContain(api_key);
    const failing = await eventually(async () => {
      const shown = await connections.find('openai');
      return shown.last_error === null ? null : shown;
    });
    expect(failing.last_error).toBe('The provider refused the credential with status 401.');
    expect(Date.now() - Date.parse(failing.last_used_at!)).toBeLessThan(60_000);

    provider.setControls(plainAnswer);
    await eventually(async () => {
      expect((await postChat(baseUrl, account.apiKey, hello('openai/m'))).status).toBe(200);
      return (await connections.find('openai')).last_error === null ? true : null;
    }, 20_000);
  }, 40_000);

  it('a stored credential appears in no log', () => {
    expect(findInLogs(stack, used)).toEqual([]);
  });
});
