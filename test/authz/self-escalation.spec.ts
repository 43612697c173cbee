import { apiKeyList, createdApiKey, type CreateApiKeyBody } from '@gateway/contracts';
import { sharedStack } from '@gateway/testing';
import { randomUUID } from 'node:crypto';
import { createTestKey, type CreatedKey } from '../e2e/account.fixture.ts';
import { send, type Sent } from '../e2e/http.fixture.ts';
import { undoAll, type Undo } from '../integration/stack.fixture.ts';
import { outcomeOf } from './outcome.fixture.ts';
import { differenceOf, StateReader } from './snapshot.fixture.ts';
import { buildWorld, type World } from './world.fixture.ts';

const stack = sharedStack();
const { baseUrl } = stack;
const undo: Undo[] = [];
let world: World;
let state: StateReader;

const hourMs = 3_600_000;
/** The restrictions of the restricted API keys. All limits are lower than the account's own limits. */
const limits = { rate_limit_rpm: 500, daily_token_budget: 4_000, weekly_token_budget: 20_000 };
const expires_at = new Date(Date.now() + 6 * hourMs).toISOString();
const later = new Date(Date.now() + 24 * hourMs).toISOString();
const lists = { allowed_tools: ['search', 'erase'], denied_tools: ['erase'] };

/**
 * The API keys that try to raise their own permissions. The key `agent` was created as usual, then
 * restricted. The key `restricted` has the restrictions of the key `agent`, but a user explicitly added the
 * scope `manage`. The key `manager` is unrestricted. The dashboard uses the key `playground`.
 */
const names = ['agent', 'restricted', 'manager', 'inference', 'read', 'manageOnly', 'playground'] as const;
type Name = (typeof names)[number];
let keys: Readonly<Record<Name, CreatedKey>>;

async function makeKeys(): Promise<typeof keys> {
  const token = world.owner.person.accessToken;
  const make = (body: CreateApiKeyBody) => createTestKey(baseUrl, token, body);
  const agent = await make({ name: 'agent', ...limits, expires_at });
  const restricted = await make({
    ...{ name: 'restricted', ...limits, expires_at },
    scopes: ['inference', 'read', 'manage'],
  });
  for (const { id } of [agent, restricted]) await mustSend(token, { ...putLists(id), body: lists });
  // Setting the tool lists removed the key's scope `manage`, so the user adds the scope again.
  const scopes = ['inference', 'read', 'manage'];
  await mustSend(token, { method: 'PATCH', path: pathOf(restricted.id), body: { scopes } });
  const playground = await mustSend(token, { method: 'POST', path: '/v1/account/playground-key' });
  return {
    agent,
    restricted,
    manager: await make({ name: 'manager' }),
    inference: await make({ name: 'inference', scopes: ['inference'] }),
    read: await make({ name: 'read', scopes: ['read'] }),
    manageOnly: await make({ name: 'manage', scopes: ['manage'] }),
    playground: createdApiKey.parse(playground.json()),
  };
}

const pathOf = (keyId: string) => `/v1/account/keys/${keyId}`;
const putLists = (keyId: string) => ({ method: 'PUT', path: `${pathOf(keyId)}/toollist` });

async function mustSend(key: string, sent: Sent) {
  const answer = await send(baseUrl, { ...sent, key });
  if (answer.status >= 300) throw new Error(`the set-up of the test failed: ${answer.text}`);
  return answer;
}

beforeAll(async () => {
  world = await buildWorld(stack, undo);
  state = await StateReader.open(stack);
  undo.push(() => state.close());
  keys = await makeKeys();
  await state.untilSettled();
}, 120_000);
afterAll(() => undoAll(undo));

type Attempt = (own: CreatedKey) => Sent;

/**
 * Sends a request for more rights with each of the named API keys. Checks that the gateway rejects each
 * request and changes nothing.
 */
async function expectRefused(outcomes: Partial<Record<Name, string>>, attempt: Attempt): Promise<void> {
  const before = await state.read();
  const seen: Record<string, string> = {};
  for (const name of Object.keys(outcomes) as Name[]) {
    const sent = attempt(keys[name]);
    const answer = await send(baseUrl, { ...sent, key: keys[name].key });
    seen[name] = outcomeOf(sent.path ?? '/', answer);
    expect(answer.text).not.toContain('sk-svc-');
  }
  expect(seen).toEqual(outcomes);
  expect(differenceOf(before, await state.read())).toEqual({ added: [], removed: [] });
}

const noScope = '403 insufficient_scope';
const ownKey = '403 own_key_change';
const exceeds = '403 grant_exceeds_key';
/** The expected outcome for every API key without the scope `manage`. */
const unable = { agent: noScope, inference: noScope, read: noScope, playground: noScope };
const self = { ...unable, restricted: ownKey, manager: ownKey, manageOnly: ownKey };
const patchSelf =
  (body: object): Attempt =>
  ({ id }) => ({ method: 'PATCH', path: pathOf(id), body });
const mint =
  (body: object, path = '/v1/account/keys'): Attempt =>
  () => ({ path, body });
const patchPolicy =
  (policy: object): Attempt =>
  () => ({
    method: 'PATCH',
    path: '/v1/account/me',
    body: { policy },
  });
const spare = () => world.owner.spareKey.id;

it('an API key cannot remove its own tool lists', () =>
  expectRefused(self, ({ id }) => ({
    ...putLists(id),
    body: { allowed_tools: null, denied_tools: null },
  })));

it('an API key cannot raise its own request rate', () =>
  expectRefused(self, patchSelf({ rate_limit_rpm: 10_000_000 })));

it('a restricted agent key cannot create a key', () => expectRefused(unable, mint({ name: 'minted' })));

it('a restricted agent key cannot revoke the owner’s key', () =>
  expectRefused(unable, () => ({ method: 'DELETE', path: pathOf(world.owner.account.keyId) })));

it('a restricted agent key cannot redirect a provider to another base URL', () =>
  expectRefused(unable, () => ({
    method: 'PUT',
    path: '/v1/account/providers',
    body: { provider: 'openai', api_key: 'stolen', base_url: 'https://attacker.example/v1' },
  })));

it('a restricted agent key cannot delete the account', () =>
  expectRefused(unable, () => ({ method: 'DELETE', path: '/v1/account/me' })));

it('a playground key cannot create a permanent key', () =>
  expectRefused({ playground: noScope }, mint({ name: 'permanent', expires_at: null })));

it('a key with allowed or denied tools does not have the scope manage by default, and keeps its tool lists', async () => {
  const { data } = apiKeyList.parse((await mustSend(keys.read.key, { path: '/v1/account/keys' })).json());
  expect(data.find(({ id }) => id === keys.agent.id)).toMatchObject({
    ...lists,
    scopes: ['inference', 'read'],
  });
  expect(data.find(({ id }) => id === keys.restricted.id)).toMatchObject({
    ...lists,
    scopes: ['inference', 'read', 'manage'],
  });
});

describe('an API key never changes itself', () => {
  it.each<[string, object]>([
    ['its saved-token budgets', { daily_token_budget: null, weekly_token_budget: null }],
    ['its expiry', { expires_at: null }],
    ['its scopes', { scopes: ['inference', 'read', 'manage'] }],
    ['its number of tools', { k_target_override: 512 }],
    ['its name', { name: 'trusted' }],
  ])('an API key cannot change %s', (_name, body) => expectRefused(self, patchSelf(body)));

  it('an API key cannot rotate its own secret', () =>
    expectRefused(self, ({ id }) => ({ method: 'POST', path: `${pathOf(id)}/rotate`, body: {} })));

  it('an API key cannot change its inherited limits through the account’s policy', () =>
    expectRefused(
      { ...unable, restricted: exceeds, manager: exceeds, manageOnly: exceeds },
      patchPolicy({ rate_limit_rpm: 10_000_000 }),
    ));
});

describe('an API key grants no more rights than it has', () => {
  it.each<[string, Partial<Record<Name, string>>, object]>([
    ['manage', { restricted: exceeds }, { scopes: ['manage'] }],
    ['another scope', { manageOnly: exceeds }, { scopes: ['inference'] }],
    ['a higher rate', { restricted: exceeds }, { rate_limit_rpm: 501 }],
    ['a higher daily budget', { restricted: exceeds }, { daily_token_budget: 4_001 }],
    ['a higher weekly budget', { restricted: exceeds }, { weekly_token_budget: 20_001 }],
    ['a later expiry', { restricted: exceeds }, { expires_at: later }],
    ['no expiry', { restricted: exceeds }, { expires_at: null }],
  ])(
    'an API key cannot give a new or existing key more rights than its own: %s',
    async (_name, outcomes, body) => {
      await expectRefused(outcomes, mint({ name: 'minted', ...body }));
      await expectRefused(outcomes, mint({ name: 'minted', ...body }, '/v1/keys'));
      await expectRefused(outcomes, () => ({ method: 'PATCH', path: pathOf(spare()), body }));
    },
  );

  it.each<[string, object]>([
    ['tools outside its list', { allowed_tools: ['search', 'delete_all'] }],
    ['every tool', { allowed_tools: null }],
    ['a denied tool', { allowed_tools: ['erase'], denied_tools: [] }],
  ])('an API key cannot give an existing key more tools than its own: %s', (_name, body) =>
    expectRefused({ restricted: exceeds }, () => ({ ...putLists(spare()), body })),
  );

  it('an API key cannot rotate a key with more rights, because the response contains the secret', () =>
    expectRefused({ ...unable, restricted: exceeds, manageOnly: exceeds }, () => ({
      method: 'POST',
      path: `${pathOf(world.owner.account.keyId)}/rotate`,
      body: {},
    })));

  it('an API key cannot give more scopes to the keys that the account creates later', () =>
    expectRefused(
      { ...unable, restricted: exceeds, manageOnly: exceeds },
      patchPolicy({ default_key_scopes: ['inference', 'manage'] }),
    ));

  it('a key that a restricted API key creates has all restrictions of the restricted API key', async () => {
    const answer = await mustSend(keys.restricted.key, { path: '/v1/account/keys', body: { name: 'child' } });
    const child = createdApiKey.parse(answer.json());
    const { id } = child;
    expect(child).toMatchObject({ ...limits, ...lists, expires_at, scopes: ['inference', 'read'] });
    await mustSend(world.owner.person.accessToken, { method: 'DELETE', path: pathOf(id) });
  });
});

describe('an API key cannot get more rights', () => {
  it('an API key cannot repeat another caller’s creation of a key to see the secret', async () => {
    const headers = { 'idempotency-key': randomUUID() };
    const sent = { path: '/v1/account/keys', headers, body: { name: 'replayed' } };
    const created = await mustSend(world.owner.person.accessToken, sent);
    const { id } = createdApiKey.parse(created.json());
    await expectRefused({ ...unable, restricted: '422 idempotency_key_reused' }, () => sent);
    await mustSend(world.owner.person.accessToken, { method: 'DELETE', path: pathOf(id) });
  });

  it('an API key cannot change keys or providers of another account', async () => {
    const foreign = pathOf(world.other.account.keyId);
    const able = { restricted: '404 not_found', manager: '404 not_found', manageOnly: '404 not_found' };
    const outcomes = { ...unable, ...able };
    await expectRefused(outcomes, () => ({ method: 'PATCH', path: foreign, body: { scopes: ['read'] } }));
    await expectRefused(outcomes, () => ({ method: 'DELETE', path: foreign }));
    await expectRefused(outcomes, () => ({ method: 'POST', path: `${foreign}/rotate`, body: {} }));
    await expectRefused(outcomes, () => ({
      method: 'DELETE',
      path: `/v1/account/providers/${world.other.provider}`,
    }));
  });

  it('an API key cannot move a stored credential to another address without a new credential', () =>
    expectRefused({ ...unable, restricted: '400 missing_field', manager: '400 missing_field' }, () => ({
      method: 'PUT',
      path: '/v1/account/providers',
      body: { provider: world.owner.provider, base_url: 'https://attacker.example/v1' },
    })));

  it('an API key without the scope manage cannot change routing, and no API key can act as a user', async () => {
    await expectRefused(unable, () => ({
      method: 'PUT',
      path: '/v1/account/routing/preferences',
      body: { on_budget_exhausted: 'pass' },
    }));
    const needsUser = Object.fromEntries(names.map((name) => [name, '403 session_required']));
    await expectRefused(needsUser, () => ({ method: 'POST', path: '/v1/account/playground-key', body: {} }));
  });
});

it('a leaked key with manage can revoke itself, because a revocation only removes rights', async () => {
  const { id, key } = await createTestKey(baseUrl, keys.manager.key, { name: 'leaked' });
  await mustSend(key, { method: 'DELETE', path: pathOf(id) });
});
