import { apiKey } from '@gateway/contracts';
import { sharedStack } from '@gateway/testing';
import { setTimeout as waitMs } from 'node:timers/promises';
import { uuidv7 } from 'uuidv7';
import { z } from 'zod';
import { createTestAccount, createTestKey, type TestAccount } from './account.fixture.ts';
import { expectError } from './errors.fixture.ts';
import {
  call,
  callFor,
  chatOnAll,
  expectFields,
  invalid,
  keyFields,
  notFound,
  onceEffective,
  withoutSecret,
} from './governance.fixture.ts';
import { send } from './http.fixture.ts';

const stack = sharedStack();
const { baseUrl } = stack;
let account: TestAccount;
let stranger: TestAccount;

beforeAll(async () => {
  [account, stranger] = await Promise.all([createTestAccount(stack), createTestAccount(stack)]);
});

const list = z.strictObject({ object: z.literal('list'), data: z.array(apiKey.strict()) });
const listed = (path = '/v1/account/keys') => callFor(list, 200, { path, key: account.apiKey });
const find = async (id: string) => (await listed()).data.find((key) => key.id === id);
const patch = async (id: string, body: object) =>
  await call(200, { method: 'PATCH', path: `/v1/account/keys/${id}`, key: account.apiKey, body });

describe.each(['/v1/account/keys', '/v1/keys'])('%s', (path) => {
  it('a key can be created from just a name, listed without its secret, and revoked', async () => {
    const created = await call(201, { path, key: account.apiKey, body: { name: 'n' } });
    expectFields(created, [...keyFields, 'key']);
    expect(created).toMatchObject({
      object: 'api_key',
      rate_limit_rpm: 600,
      daily_token_budget: 5_000_000,
      weekly_token_budget: 25_000_000,
      inherited: ['rate_limit_rpm', 'daily_token_budget', 'weekly_token_budget'],
    });
    const keys = await listed(path);
    const { key: secret, ...shown } = created;
    expect(keys.data).toContainEqual(shown);
    expect(JSON.stringify(keys)).not.toContain(String(secret).slice(11));

    const revoke = { method: 'DELETE', path: `${path}/${String(created['id'])}`, key: account.apiKey };
    expect(await call(200, revoke)).toEqual({
      id: created['id'],
      object: 'api_key.deleted',
      deleted: true,
    });
    expectError(await send(baseUrl, revoke), notFound);
  });

  it.each([
    [{}, 'missing_field', 'name'],
    [{ name: '  ' }, 'invalid_field', 'name'],
    [{ name: 'x'.repeat(201) }, 'invalid_field', 'name'],
    [{ name: 7 }, 'invalid_field', 'name'],
    [{ name: 'x', rate_limit_rpm: 0 }, 'invalid_field', 'rate_limit_rpm'],
    [{ name: 'x', rate_limit_rpm: 1.5 }, 'invalid_field', 'rate_limit_rpm'],
    [{ name: 'x', rate_limit_rpm: '60' }, 'invalid_field', 'rate_limit_rpm'],
    [{ name: 'x', daily_token_budget: -1 }, 'invalid_field', 'daily_token_budget'],
    [{ name: 'x', weekly_token_budget: 1e300 }, 'invalid_field', 'weekly_token_budget'],
    [{ name: 'x', k_target_override: 0 }, 'invalid_field', 'k_target_override'],
    [{ name: 'x', k_target_override: 513 }, 'invalid_field', 'k_target_override'],
    [{ name: 'x', expires_at: '2020-01-01T00:00:00Z' }, 'invalid_field', 'expires_at'],
    [{ name: 'x', expires_at: 1 }, 'invalid_field', 'expires_at'],
    [{ name: 'x', expires_at: 9e15 }, 'invalid_field', 'expires_at'],
    [{ name: 'x', expires_at: Date.now() + 3_600_000 }, 'invalid_field', 'expires_at'],
    [{ name: 'x', expires_at: 'tomorrow' }, 'invalid_field', 'expires_at'],
    [{ name: 'x', expires_at: '2030-01-01T00:00:00' }, 'invalid_field', 'expires_at'],
    [{ name: 'x', scopes: ['all'] }, 'invalid_field', 'scopes[0]'],
    [{ name: 'x', scopes: [] }, 'invalid_field', 'scopes'],
    [{ name: 'x', scopes: ['read', 'read'] }, 'invalid_field', 'scopes'],
    [{ name: 'x', account_id: uuidv7() }, 'unknown_field', 'account_id'],
    [[], 'invalid_field', null],
  ])('creating a key with %j is rejected', async (body, code, param) => {
    const before = (await listed()).data.length;
    expectError(await send(baseUrl, { path, key: account.apiKey, body }), { ...invalid, code, param });
    expect((await listed()).data).toHaveLength(before);
  });

  it('creating a key with a body that is not valid JSON is rejected', async () => {
    const key = account.apiKey;
    expectError(await send(baseUrl, { path, key, body: '{"name":' }), { ...invalid, code: 'malformed_json' });
    const text = { path, key, body: '{"name":"x"}', headers: { 'content-type': 'text/plain' } };
    expectError(await send(baseUrl, text), { ...invalid, status: 415, code: 'unsupported_media_type' });
  });
});

describe('PATCH /v1/account/keys/{key_id}', () => {
  it('PATCH on a key changes only the given fields and resets limits to the account policy', async () => {
    const created = withoutSecret(await createTestKey(baseUrl, account.apiKey, { name: 'before' }));
    const expires_at = new Date(Date.now() + 86_400_000).toISOString();
    const own = { rate_limit_rpm: 9, daily_token_budget: 0, weekly_token_budget: 1, k_target_override: 512 };
    const changed = await patch(created.id, { name: ' after ', ...own, expires_at });
    expectFields(changed, keyFields);
    // A restricted API key must not have the scope `manage`.
    const scopes = ['inference', 'read'];
    expect(changed).toEqual({ ...created, name: 'after', ...own, expires_at, scopes, inherited: [] });
    const nulls = { rate_limit_rpm: null, k_target_override: null, expires_at: null };
    const cleared = { rate_limit_rpm: 600, k_target_override: null, expires_at: null };
    const back = await patch(created.id, nulls);
    expect(back).toEqual({ ...changed, ...cleared, inherited: ['rate_limit_rpm'] });
    expect(await patch(created.id, {})).toEqual(back);
    const named = await patch(created.id, { scopes: ['manage', 'read'], expires_at });
    expect(named).toEqual({ ...back, scopes: ['read', 'manage'], expires_at });
    expect(await find(created.id)).toEqual(named);
  });

  it('a changed limit or expiry of a key applies on every replica within a second', async () => {
    const created = await createTestKey(baseUrl, account.apiKey, { name: 'limits' });
    for (const { status } of await chatOnAll(created.key)) expect(status).toBe(200);
    const expiresAt = Date.now() + 6_000;
    await patch(created.id, { rate_limit_rpm: 77, expires_at: new Date(expiresAt).toISOString() });
    await onceEffective(async () => {
      for (const { status, headers } of await chatOnAll(created.key)) {
        const limit = headers['x-ratelimit-limit-requests'];
        expect({ status, limit }).toEqual({ status: 200, limit: '77' });
      }
    });
    await waitMs(expiresAt - Date.now() + 50);
    for (const answer of await chatOnAll(created.key))
      expectError(answer, { status: 401, type: 'authentication_error', code: 'expired_api_key' });
    await patch(created.id, { expires_at: Math.floor(Date.now() / 1000) + 3600 });
    await onceEffective(async () => {
      for (const { status } of await chatOnAll(created.key)) expect(status).toBe(200);
    });
  }, 60_000);

  it.each([
    [{ name: null }, 'invalid_field', 'name'],
    [{ name: '' }, 'invalid_field', 'name'],
    [{ rate_limit_rpm: 0 }, 'invalid_field', 'rate_limit_rpm'],
    [{ k_target_override: '3' }, 'invalid_field', 'k_target_override'],
    [{ expires_at: '2020-01-01T00:00:00Z' }, 'invalid_field', 'expires_at'],
    [{ scopes: [] }, 'invalid_field', 'scopes'],
    [{ scopes: ['admin'] }, 'invalid_field', 'scopes[0]'],
    [{ scopes: null }, 'invalid_field', 'scopes'],
    [{ allowed_tools: [] }, 'unknown_field', 'allowed_tools'],
    [{ id: uuidv7() }, 'unknown_field', 'id'],
    [{ revoked_at: null }, 'unknown_field', 'revoked_at'],
  ])('PATCH on a key rejects %j', async (body, code, param) => {
    const path = `/v1/account/keys/${account.keyId}`;
    const before = await find(account.keyId);
    const answer = await send(baseUrl, { method: 'PATCH', path, key: account.apiKey, body });
    expectError(answer, { ...invalid, code, param });
    expect(await find(account.keyId)).toMatchObject({ name: before?.name, inherited: before?.inherited });
  });
});

describe('PUT /v1/account/keys/{key_id}/toollist', () => {
  it('PUT on a key’s tool list returns the updated key', async () => {
    const created = withoutSecret(await createTestKey(baseUrl, account.apiKey, { name: 'lists' }));
    const put = { method: 'PUT', path: `/v1/account/keys/${created.id}/toollist`, key: account.apiKey };
    const both = { allowed_tools: ['a', 'b'], denied_tools: ['b'] };
    // An API key with allowed or denied tools must not have the scope `manage`.
    const limited = { ...created, ...both, scopes: ['inference', 'read'] };
    expect(await call(200, { ...put, body: both })).toEqual(limited);
    const one = { ...limited, allowed_tools: null };
    expect(await call(200, { ...put, body: { allowed_tools: null } })).toEqual(one);
  });

  it.each([
    [{}, 'invalid_field', null],
    [{ allowed_tools: 'a' }, 'invalid_field', 'allowed_tools'],
    [{ allowed_tools: [''] }, 'invalid_field', 'allowed_tools[0]'],
    [{ denied_tools: ['a', 1] }, 'invalid_field', 'denied_tools[1]'],
    [{ denied_tools: Array.from({ length: 4097 }, String) }, 'invalid_field', 'denied_tools'],
    [{ name: 'x' }, 'unknown_field', 'name'],
  ])('PUT on a key’s tool list rejects %j', async (body, code, param) => {
    const path = `/v1/account/keys/${account.keyId}/toollist`;
    const answer = await send(baseUrl, { method: 'PUT', path, key: account.apiKey, body });
    expectError(answer, { ...invalid, code, param });
  });
});

describe('an id', () => {
  it.each(['of another account', 'that never existed', 'revoked', 'that is not an id'])(
    'a call with a key id %s returns not_found',
    async (which) => {
      const revoked = await createTestKey(baseUrl, account.apiKey, { name: 'gone' });
      await call(200, { method: 'DELETE', path: `/v1/keys/${revoked.id}`, key: account.apiKey });
      const id = {
        'of another account': stranger.keyId,
        'that never existed': uuidv7(),
        revoked: revoked.id,
      }[which];
      const path = `/v1/account/keys/${id ?? 'no-id'}`;
      const calls = [
        { method: 'PATCH', path, body: { name: 'mine now' } },
        { method: 'POST', path: `${path}/rotate`, body: { overlap_seconds: 0 } },
        { method: 'PUT', path: `${path}/toollist`, body: { denied_tools: ['x'] } },
        { method: 'DELETE', path },
        { method: 'DELETE', path: `/v1/keys/${id ?? 'no-id'}` },
      ];
      for (const sent of calls) expectError(await send(baseUrl, { ...sent, key: account.apiKey }), notFound);
      const own = await callFor(list, 200, { path: '/v1/keys', key: stranger.apiKey });
      expect(own.data).toEqual([expect.objectContaining({ name: 'first', denied_tools: null })]);
    },
  );
});
