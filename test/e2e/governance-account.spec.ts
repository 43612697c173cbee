import { apiKeyList, type CreateApiKeyBody } from '@gateway/contracts';
import { sharedStack } from '@gateway/testing';
import { createTestAccount, createTestKey, type TestAccount } from './account.fixture.ts';
import { expectError } from './errors.fixture.ts';
import { call, callFor, chatOnAll, expectFields, invalid, onceEffective } from './governance.fixture.ts';
import { send } from './http.fixture.ts';

const stack = sharedStack();
const { baseUrl } = stack;
const path = '/v1/account/me';
const defaults = {
  rate_limit_rpm: 600,
  daily_token_budget: 5_000_000,
  weekly_token_budget: 25_000_000,
  content_logging: false,
  retention_days: 30,
  shadow_share: 0.05,
  shadow_share_learning: 0.2,
  default_key_scopes: ['inference', 'read', 'manage'],
};

let account: TestAccount;
beforeEach(async () => {
  account = await createTestAccount(stack, { hasOwnPolicy: false });
});

const patch = (body: object) => call(200, { method: 'PATCH', path, key: account.apiKey, body });

describe('/v1/account/me', () => {
  it('GET /v1/account/me returns the profile and the policy', async () => {
    const body = await call(200, { path, key: account.apiKey });
    expectFields(body, ['id', 'object', 'name', 'is_demo', 'created_at', 'policy']);
    expect(body).toMatchObject({
      id: account.accountId,
      object: 'account',
      is_demo: false,
      policy: defaults,
    });
    expectFields(body['policy'], Object.keys(defaults));
    expect(new Date(String(body['created_at'])).toISOString()).toBe(body['created_at']);
  });

  it('PATCH /v1/account/me changes only the given fields', async () => {
    const before = await call(200, { path, key: account.apiKey });
    const policy = { content_logging: true, retention_days: 1, shadow_share: 1, shadow_share_learning: 1 };
    const changed = { ...before, name: 'renamed', policy: { ...defaults, ...policy } };
    expect(await patch({ name: ' renamed ', policy })).toEqual(changed);
    const back = { ...changed, policy: { ...defaults, ...policy, content_logging: false } };
    expect(await patch({ policy: { content_logging: false } })).toEqual(back);
    expect(await patch({})).toEqual(back);
    expect(await call(200, { path, key: account.apiKey })).toEqual(back);
    const stranger = await createTestAccount(stack, { hasOwnPolicy: false });
    expect(await call(200, { path, key: stranger.apiKey })).toMatchObject({ policy: defaults });
  });

  it('within a second, the account’s rate limit applies on every replica to each key without a rate limit', async () => {
    const own = await createTestKey(baseUrl, account.apiKey, { name: 'own', rate_limit_rpm: 55 });
    for (const secret of [account.apiKey, own.key]) await chatOnAll(secret);
    await patch({ policy: { rate_limit_rpm: 44, daily_token_budget: 3 } });
    const limitsOf = async (secret: string) =>
      (await chatOnAll(secret)).map(({ headers }) => headers['x-ratelimit-limit-requests']);
    await onceEffective(async () => expect(await limitsOf(account.apiKey)).toEqual(['44', '44']));
    expect(await limitsOf(own.key)).toEqual(['55', '55']);
    const { data } = await callFor(apiKeyList, 200, { path: '/v1/keys', key: account.apiKey });
    expect(data[0]).toMatchObject({ rate_limit_rpm: 55, daily_token_budget: 3 });
    expect(data[1]).toMatchObject({ rate_limit_rpm: 44, daily_token_budget: 3 });
  });

  it('the account’s default scopes apply only to keys that are created without scopes', async () => {
    const make = (body: CreateApiKeyBody) => createTestKey(baseUrl, account.apiKey, body);
    const before = await make({ name: 'before' });
    await patch({ policy: { default_key_scopes: ['read', 'inference'] } });
    expect((await make({ name: 'default' })).scopes).toEqual(['inference', 'read']);
    const named = await make({ name: 'named', scopes: ['manage', 'inference'] });
    expect(named.scopes).toEqual(['inference', 'manage']);
    const { data } = await callFor(apiKeyList, 200, { path: '/v1/keys', key: account.apiKey });
    expect(data.find(({ id }) => id === before.id)?.scopes).toEqual(['inference', 'read', 'manage']);
  });

  it.each([
    [{ name: '' }, 'invalid_field', 'name'],
    [{ name: null }, 'invalid_field', 'name'],
    [{ policy: { rate_limit_rpm: 0 } }, 'invalid_field', 'policy.rate_limit_rpm'],
    [{ policy: { rate_limit_rpm: null } }, 'invalid_field', 'policy.rate_limit_rpm'],
    [{ policy: { daily_token_budget: -1 } }, 'invalid_field', 'policy.daily_token_budget'],
    [{ policy: { weekly_token_budget: 1e16 } }, 'invalid_field', 'policy.weekly_token_budget'],
    [{ policy: { content_logging: 'yes' } }, 'invalid_field', 'policy.content_logging'],
    [{ policy: { retention_days: 0 } }, 'invalid_field', 'policy.retention_days'],
    [{ policy: { retention_days: 366 } }, 'invalid_field', 'policy.retention_days'],
    [{ policy: { retention_days: 1.5 } }, 'invalid_field', 'policy.retention_days'],
    [{ policy: { shadow_share: -0.1 } }, 'invalid_field', 'policy.shadow_share'],
    [{ policy: { shadow_share: 1.1 } }, 'invalid_field', 'policy.shadow_share'],
    [{ policy: { shadow_share_learning: 1.1 } }, 'invalid_field', 'policy.shadow_share_learning'],
    [{ policy: { default_key_scopes: [] } }, 'invalid_field', 'policy.default_key_scopes'],
    [{ policy: { default_key_scopes: ['admin'] } }, 'invalid_field', 'policy.default_key_scopes[0]'],
    [{ policy: { default_key_scopes: ['read', 'read'] } }, 'invalid_field', 'policy.default_key_scopes'],
    [{ policy: { epoch: 1 } }, 'unknown_field', 'policy.epoch'],
    [{ policy: [] }, 'invalid_field', 'policy'],
    [{ is_demo: true }, 'unknown_field', 'is_demo'],
    [{ rate_limit_rpm: 1 }, 'unknown_field', 'rate_limit_rpm'],
  ])('PATCH /v1/account/me rejects %j', async (body, code, param) => {
    const answer = await send(baseUrl, { method: 'PATCH', path, key: account.apiKey, body });
    expectError(answer, { ...invalid, code, param });
    expect(await call(200, { path, key: account.apiKey })).toMatchObject({ policy: defaults });
  });
});
