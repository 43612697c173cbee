import { account as accountSchema, createdApiKey, session as sessionSchema } from '@gateway/contracts';
import { forgeTokens, logOutPerson, sharedStack, signUpPerson, type TestPerson } from '@gateway/testing';
import { decodeJwt, type JWK } from 'jose';
import { createTestAccount, type TestAccount } from './account.fixture.ts';
import { edgeUrl } from './edges.fixture.ts';
import { expectError } from './errors.fixture.ts';
import { onceEffective } from './governance.fixture.ts';
import { postChat, send } from './http.fixture.ts';

const stack = sharedStack();
const { baseUrl } = stack;
const hello = { model: 'sandbox/sandbox-1', messages: [{ role: 'user', content: 'hello' }] };
const unauthorized = { status: 401, type: 'authentication_error' };
const forbidden = { status: 403, type: 'permission_error' };

let person: TestPerson;
let account: TestAccount;

beforeAll(async () => {
  [person, account] = await Promise.all([signUpPerson(baseUrl), createTestAccount(stack)]);
});

const me = (key: string, at = baseUrl) => send(at, { path: '/v1/account/me', key });

it('a person signs up, registers, creates a key, chats with it, and logs out', async () => {
  const visitor = await signUpPerson(baseUrl, { register: false });
  expectError(await me(visitor.accessToken), { ...forbidden, code: 'account_not_registered' });

  const register = (body: unknown) =>
    send(baseUrl, { path: '/v1/account/register', key: visitor.accessToken, body });
  const registered = accountSchema.parse((await register({ name: 'Mine' })).json());
  expect(registered).toMatchObject({ object: 'account', name: 'Mine', is_demo: false });
  expect((await register({ name: 'Another' })).json()).toEqual(registered);
  const person = { email: visitor.email, email_verified: false };
  expect((await me(visitor.accessToken)).json()).toEqual({ ...registered, person });

  const created = await send(baseUrl, {
    path: '/v1/account/keys',
    key: visitor.accessToken,
    body: { name: 'first' },
  });
  expect(created.status).toBe(201);
  const { key } = createdApiKey.parse(created.json());
  expect((await me(key)).json()).toEqual(registered);
  expect((await postChat(baseUrl, key, hello)).status).toBe(200);

  await logOutPerson(baseUrl, visitor);
  await onceEffective(async () => {
    for (const edge of [baseUrl, edgeUrl(stack, 'closed')])
      expectError(await me(visitor.accessToken, edge), { ...unauthorized, code: 'invalid_session_token' });
  });
  const body = { refresh_token: visitor.refreshToken };
  const refreshed = await send(baseUrl, { path: '/v1/auth/refresh', body });
  expectError(refreshed, { ...unauthorized, code: 'invalid_refresh_token' });
  // The account and its API keys remain valid after the login session ends.
  expect((await postChat(baseUrl, key, hello)).status).toBe(200);
}, 30_000);

it('ten concurrent registrations create one account', async () => {
  const visitor = await signUpPerson(baseUrl, { register: false });
  const answers = await Promise.all(
    Array.from({ length: 10 }, () =>
      send(baseUrl, { method: 'POST', path: '/v1/account/register', key: visitor.accessToken }),
    ),
  );
  expect(answers.map(({ status }) => status)).toEqual(Array(10).fill(200));
  expect(new Set(answers.map((answer) => accountSchema.parse(answer.json()).id)).size).toBe(1);
});

it('two people cannot see each other’s data', async () => {
  const stranger = await signUpPerson(baseUrl);
  expect(stranger.accountId).not.toBe(person.accountId);
  const create = { path: '/v1/account/keys', key: person.accessToken, body: { name: 'mine' } };
  const { id } = createdApiKey.parse((await send(baseUrl, create)).json());
  const path = `/v1/account/keys/${id}`;
  const taken = await send(baseUrl, { method: 'DELETE', path, key: stranger.accessToken });
  expectError(taken, { status: 404, type: 'not_found_error', code: 'not_found' });
  const listed = await send(baseUrl, { path: '/v1/account/keys', key: stranger.accessToken });
  expect(listed.json()).toEqual({ object: 'list', data: [] });
});

describe('the credential type', () => {
  it.each(['/v1/account/register', '/v1/account/playground-key', '/v1/auth/change-password'])(
    'POST %s accepts only a session token',
    async (path) => {
      const answer = await send(baseUrl, { method: 'POST', path, key: account.apiKey });
      expectError(answer, { ...forbidden, code: 'session_required' });
      const nobody = await send(baseUrl, { method: 'POST', path });
      expectError(nobody, { ...unauthorized, code: 'missing_session_token' });
    },
  );

  it('the chat and models routes accept only an API key and return errors in the client’s format', async () => {
    const key = person.accessToken;
    expectError(await postChat(baseUrl, key, hello), { ...forbidden, code: 'api_key_required' });
    expectError(await send(baseUrl, { path: '/v1/models', key }), { ...forbidden, code: 'api_key_required' });
    const messages = await send(baseUrl, { path: '/v1/messages', key, body: hello });
    expect(messages.status).toBe(403);
    expect(messages.json()).toMatchObject({ type: 'error', error: { type: 'permission_error' } });
    const converse = await send(baseUrl, { path: '/model/x/converse', key, body: {} });
    expect({ status: converse.status, type: converse.headers['x-amzn-errortype'] }).toEqual({
      status: 403,
      type: 'AccessDeniedException',
    });
  });

  it('account routes accept both API keys and session tokens', async () => {
    for (const path of ['/v1/account/keys', '/v1/keys', '/v1/account/providers', '/v1/account/requests']) {
      for (const key of [person.accessToken, account.apiKey])
        expect({ path, status: (await send(baseUrl, { path, key })).status }).toEqual({ path, status: 200 });
    }
  });
});

describe('a forged session token', () => {
  const readKeys = async () => {
    const answer = await send(baseUrl, { path: '/.well-known/jwks.json' });
    return (answer.json() as { keys: JWK[] }).keys;
  };

  it('every route rejects a session token with a forged part', async () => {
    const keys = await readKeys();
    expect(keys.length).toBeGreaterThan(0);
    for (const key of keys) expect(Object.keys(key)).not.toContain('d');
    // The test sends the valid token before and after the forged tokens.
    // A cache that compares only part of a token would accept the forged tokens.
    expect((await me(person.accessToken)).status).toBe(200);
    for (const { name, token } of forgeTokens(person.accessToken, keys[0]!)) {
      for (const [method, path] of [
        ['GET', '/v1/account/me'],
        ['POST', '/v1/account/register'],
      ] as const) {
        const answer = await send(baseUrl, { method, path, key: token });
        expect({ name, path, status: answer.status }).toEqual({ name, path, status: 401 });
        expectError(answer, { ...unauthorized, code: 'invalid_session_token' });
      }
      expectError(await postChat(baseUrl, token, hello), { ...forbidden, code: 'api_key_required' });
    }
    expect((await me(person.accessToken)).status).toBe(200);
  }, 30_000);
});

describe('the session token of dev.json', () => {
  it('the session token of dev.json works immediately, and the person of dev.json can sign in to the demo account', async () => {
    const { session_token, demo_person } = stack.dev;
    const mine = accountSchema.parse((await me(session_token!)).json());
    expect(mine).toMatchObject({ id: stack.accountId, is_demo: true });
    const body = { ...demo_person!, refresh_token_in: 'body' };
    const another = sessionSchema.parse((await send(baseUrl, { path: '/v1/auth/log-in', body })).json());
    const person = { email: body.email, email_verified: false };
    expect((await me(another.access_token)).json()).toEqual({ ...mine, person });
    expect(decodeJwt(another.access_token).sub).toBe(decodeJwt(session_token!).sub);
  });
});

describe('a key for the playground', () => {
  const createKey = async (headers: Record<string, string> = {}, body?: object) => {
    const path = '/v1/account/playground-key';
    const answer = await send(baseUrl, { method: 'POST', path, key: person.accessToken, headers, body });
    expect({ status: answer.status, text: answer.text }).toMatchObject({ status: 201 });
    return createdApiKey.parse(answer.json());
  };

  it('a playground key works for an hour, appears in no list, cannot be extended, and can be revoked', async () => {
    const created = await createKey();
    const leftMs = Date.parse(created.expires_at!) - Date.now();
    expect(leftMs).toBeGreaterThan(59 * 60_000);
    expect(leftMs).toBeLessThanOrEqual(60 * 60_000);
    expect((await postChat(baseUrl, created.key, hello)).status).toBe(200);

    const listed = await send(baseUrl, { path: '/v1/account/keys', key: person.accessToken });
    expect(listed.text).not.toContain(created.id);
    const path = `/v1/account/keys/${created.id}`;
    const changes = [
      { method: 'PATCH', path, body: { expires_at: null } },
      { method: 'POST', path: `${path}/rotate`, body: {} },
      { method: 'PUT', path: `${path}/toollist`, body: { allowed_tools: [] } },
    ];
    for (const change of changes) {
      const answer = await send(baseUrl, { ...change, key: person.accessToken });
      expectError(answer, { status: 404, type: 'not_found_error', code: 'not_found' });
    }
    expect((await send(baseUrl, { method: 'DELETE', path, key: person.accessToken })).status).toBe(200);
    await onceEffective(async () => {
      const refused = await postChat(baseUrl, created.key, hello);
      expectError(refused, { ...unauthorized, code: 'invalid_api_key' });
    });
  });

  it('a playground key is created once per Idempotency-Key', async () => {
    const headers = { 'idempotency-key': crypto.randomUUID() };
    const [one, other] = await Promise.all([createKey(headers), createKey(headers)]);
    expect(other).toEqual(one);
    expect((await createKey()).id).not.toBe(one.id);
  });

  it('a playground key can be created with a fixed K, for comparisons', async () => {
    expect((await createKey({}, { k_target_override: 512 })).k_target_override).toBe(512);
    expect((await createKey()).k_target_override).toBeNull();
  });

  it('a playground key ends once five newer keys have been created', async () => {
    const first = await createKey();
    const more = [];
    for (let n = 0; n < 5; n++) more.push(await createKey());
    await onceEffective(async () => expect((await postChat(baseUrl, first.key, hello)).status).toBe(401));
    for (const { key } of more) expect((await postChat(baseUrl, key, hello)).status).toBe(200);
  }, 30_000);
});
