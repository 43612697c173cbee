/** The lines of the interface document on accounts, keys, providers, routing, usage and tool health. */
import { createTestAccount } from './account.fixture.ts';
import { sharedStack, signUpPerson } from '@gateway/testing';
import { onceEffective } from './governance.fixture.ts';
import { postChat, send } from './http.fixture.ts';
import {
  ask,
  baseUrl,
  chat,
  fn,
  hello,
  rowOf,
  sandboxHello,
  say,
  statusOf,
  type InterfaceWorld,
  type Row,
} from './interface.fixture.ts';

interface List {
  readonly object: string;
  readonly data: Record<string, unknown>[];
}
const list = (world: Pick<InterfaceWorld, 'key'>, path: string) =>
  ask(world, 'GET', path) as Promise<unknown> as Promise<List>;

/** A GET route and its alias, which must return the same fields. */
const reading = (path: string, alias?: string): Row => [
  `GET /v1/account/${path}${alias === undefined ? '' : `, alias ${alias}`}`,
  async (world) => {
    const [primary, other] = [
      await ask(world, 'GET', `/v1/account/${path}`),
      alias && (await ask(world, 'GET', alias)),
    ];
    expect(primary).toBeDefined();
    if (alias !== undefined) expect(Object.keys(other as object).sort()).toEqual(Object.keys(primary).sort());
  },
];

/** An action that requires a session token and rejects API keys. */
const sessionOnly = (path: string, body: object): Row => [
  `POST ${path} takes a session token, and no API key`,
  async ({ key, person }) => {
    const refused = await send(baseUrl, { path, key, body });
    expect([refused.status, refused.text]).toEqual([403, expect.stringContaining('session_required')]);
    const accepted = await send(baseUrl, { path, key: person.accessToken, body });
    expect([200, 409]).toContain(accepted.status);
  },
];

/** Tests that a field set at the creation of an API key appears in the list of keys. */
const keyField = (field: string, value: unknown): Row => [
  `${field} is set when a key is created`,
  async (world) => {
    const created = await world.createKey({ [field]: value });
    expect(created).toHaveProperty(field, value);
    const { data } = await list(world, '/v1/account/keys');
    expect(data.find(({ id }) => id === created.id)).toHaveProperty(field, value);
  },
];

const toolsOf = async (world: InterfaceWorld, lists: object): Promise<string[]> => {
  const { id, key } = await world.createKey();
  await ask(world, 'PUT', `/v1/account/keys/${id}/toollist`, lists);
  return onceEffective(async () => {
    const { sent } = await chat(
      { ...world, key },
      { tools: ['read', 'write', 'erase'].map((name) => fn(name)) },
    );
    const names = (sent['tools'] as { function: { name: string } }[]).map((tool) => tool.function.name);
    expect(names).not.toHaveLength(3);
    return names;
  });
};

const ahead = new Date(Date.now() + 86_400_000).toISOString();

export const accountRows: readonly Row[] = [
  [
    'POST /v1/account/keys needs only a name, and returns the secret once',
    async (world) => {
      const created = await ask(world, 'POST', '/v1/account/keys', { name: 'only a name' }, 201);
      expect(created['key']).toMatch(/^sk-svc-/);
      expect(created['id']).toMatch(/^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/);
      expect(created['inherited']).toEqual(
        expect.arrayContaining(['rate_limit_rpm', 'daily_token_budget', 'weekly_token_budget']),
      );
      expect(JSON.stringify(await list(world, '/v1/account/keys'))).not.toContain(created['key']);
    },
  ],
  [
    'the alias POST /v1/keys creates a key',
    (world) => ask(world, 'POST', '/v1/keys', { name: 'by the alias' }, 201),
  ],
  keyField('rate_limit_rpm', 77),
  keyField('daily_token_budget', 4_000),
  keyField('weekly_token_budget', 9_000),
  keyField('k_target_override', 12),
  keyField('expires_at', ahead),
  [
    'k_target_override forces a wider tool window',
    async (world) => {
      const tools = Array.from({ length: 120 }, (_, at) => fn(`tool_${at}`));
      const { key } = await world.createKey({ k_target_override: 40 });
      const { answer } = await chat({ ...world, key }, { messages: say('Call tool_7'), tools });
      expect((await rowOf(world, answer)).k_reason).toBe('override');
    },
  ],
  [
    'rate_limit_rpm limits the requests per minute',
    async (world) => {
      const { key } = await world.createKey({ rate_limit_rpm: 1 });
      expect([await statusOf(key), await statusOf(key)]).toEqual([200, 429]);
    },
  ],
  [
    'DELETE /v1/account/keys/{key_id} revokes the key, and its alias too',
    async (world) => {
      for (const path of ['/v1/account/keys', '/v1/keys']) {
        const { id, key } = await world.createKey();
        expect(await statusOf(key)).toBe(200);
        await ask(world, 'DELETE', `${path}/${id}`);
        await onceEffective(async () => expect(await statusOf(key)).toBe(401));
      }
    },
  ],
  [
    'allowed_tools: only these tools pass',
    async (world) => expect(await toolsOf(world, { allowed_tools: ['read'] })).toEqual(['read']),
  ],
  [
    'denied_tools: these tools are removed',
    async (world) => expect(await toolsOf(world, { denied_tools: ['erase'] })).toEqual(['read', 'write']),
  ],
  [
    'either or both tool lists can be set, and null clears them',
    async (world) => {
      expect(await toolsOf(world, { allowed_tools: ['read', 'erase'], denied_tools: ['erase'] })).toEqual([
        'read',
      ]);
      const { id } = await world.createKey();
      const cleared = { allowed_tools: null, denied_tools: null };
      expect(await ask(world, 'PUT', `/v1/account/keys/${id}/toollist`, cleared)).toMatchObject(cleared);
    },
  ],
  [
    'GET /v1/account/providers lists providers without secrets',
    async (world) => {
      const { data } = await list(world, '/v1/account/providers');
      expect(
        data
          .filter(({ connected }) => connected)
          .map(({ provider }) => provider)
          .sort(),
      ).toEqual(['anthropic', 'hosted', 'openai', 'sandbox']);
      expect(JSON.stringify(data)).not.toContain('upstream-key');
    },
  ],
  [
    'PUT /v1/account/providers saves a key, and DELETE removes it',
    async (world) => {
      const body = { provider: 'mistral', api_key: 'mistral-key-0123', base_url: `${world.provider.url}/v1` };
      expect(await ask(world, 'PUT', '/v1/account/providers', body)).toMatchObject({ connected: true });
      expect(await ask(world, 'DELETE', '/v1/account/providers/mistral')).toMatchObject({ deleted: true });
      await onceEffective(async () => {
        const { status } = await postChat(baseUrl, world.key, {
          ...hello,
          model: 'mistral/mistral-small-latest',
        });
        expect(status).toBe(400);
      });
    },
  ],
  [
    'routing preferences hold a mode, allowed providers and a maximum cost',
    async (world) => {
      const path = '/v1/account/routing/preferences';
      const changed = { mode: 'cheap', allowed_providers: ['openai'], max_cost_usd_per_mtok: 100 };
      expect(await ask(world, 'PUT', path, changed)).toMatchObject(changed);
      expect(await ask(world, 'GET', path)).toMatchObject(changed);
      await ask(world, 'PUT', path, { mode: 'auto', allowed_providers: null, max_cost_usd_per_mtok: null });
    },
  ],
  [
    'GET /v1/account/routing/models lists models of connected providers',
    async (world) => {
      const { data } = await list(world, '/v1/account/routing/models');
      expect(new Set(data.map(({ provider }) => provider))).toEqual(
        new Set(['openai', 'anthropic', 'hosted']),
      );
    },
  ],
  [
    'GET /v1/account/routing/models/status shows state and performance, and toggle changes the state',
    async (world) => {
      const model = { provider: 'openai', model_id: 'gpt-4o' };
      const toggle = (is_enabled: boolean) =>
        ask(world, 'POST', '/v1/account/routing/models/toggle', { ...model, is_enabled });
      const read = async () =>
        (await list(world, '/v1/account/routing/models/status')).data.find(
          ({ id }) => id === 'openai/gpt-4o',
        );
      expect(await toggle(false)).toMatchObject({ ...model, is_enabled: false });
      expect(await read()).toMatchObject({ is_enabled: false, requests: expect.any(Number) as number });
      await toggle(true);
      expect(await read()).toMatchObject({ is_enabled: true });
    },
  ],
  reading('routing/preferences'),
  reading('routing/insights'),
  reading('routing/calibration'),
  [
    'GET /v1/account/routing/traces?limit shows intent, K reason and candidates',
    async (world) => {
      const { answer } = await chat(world, { tools: [fn('read')] });
      await rowOf(world, answer);
      const { data } = await list(world, '/v1/account/routing/traces?limit=1');
      expect(data).toHaveLength(1);
      for (const field of ['intent', 'k_reason', 'candidates']) expect(data[0]).toHaveProperty(field);
    },
  ],
  reading('keys', '/v1/keys'),
  reading('routing/models'),
  reading('routing/models/status'),
  reading('providers'),
  reading('usage/summary', '/v1/usage/summary'),
  reading('usage/daily', '/v1/usage/daily'),
  reading('requests?limit=2&offset=1', '/v1/requests?limit=2&offset=1'),
  reading('billing'),
  reading('usage/by-key'),
  reading('sessions'),
  [
    'GET /v1/account/requests/{request_id} shows one request',
    async (world) => {
      const { answer } = await chat(world);
      expect(await rowOf(world, answer)).toMatchObject({ id: answer.headers['x-request-id'], status: 'ok' });
    },
  ],
  [
    'analytics: a session token on the account path, an API key on the alias',
    async ({ key, person }) => {
      const status = async (path: string, as: string) =>
        (await send(baseUrl, { path: `${path}?days=3`, key: as })).status;
      const [primary, alias] = ['/v1/account/usage/analytics/daily', '/v1/usage/analytics/daily'];
      expect([await status(primary, person.accessToken), await status(alias, key)]).toEqual([200, 200]);
      expect([await status(primary, key), await status(alias, person.accessToken)]).toEqual([403, 403]);
    },
  ],
  sessionOnly('/v1/billing/create-checkout', {
    plan_id: 'pro',
    success_url: 'https://a.example/',
    cancel_url: 'https://a.example/',
  }),
  sessionOnly('/v1/billing/customer-portal', { return_url: 'https://a.example/' }),
  sessionOnly('/v1/billing/sync-checkout', { session_id: 'cs_test_0123456789' }),
  sessionOnly('/v1/billing/sync-subscription', {}),
  sessionOnly('/v1/account/register', {}),
  reading('me'),
  reading('tools/health'),
  reading('tools/recall-alerts'),
  reading('tools/suggestions'),
  [
    'deleting an account is irreversible, and ends its keys',
    async () => {
      const { apiKey } = await createTestAccount(sharedStack());
      expect((await postChat(baseUrl, apiKey, sandboxHello)).status).toBe(200);
      expect((await send(baseUrl, { method: 'DELETE', path: '/v1/account/me', key: apiKey })).status).toBe(
        202,
      );
      await onceEffective(async () => expect(await statusOf(apiKey)).toBe(401));
    },
  ],
  [
    'account endpoints take an API key or a session token',
    async ({ key }) => {
      const { accessToken } = await signUpPerson(baseUrl);
      for (const as of [key, accessToken])
        expect((await send(baseUrl, { path: '/v1/account/keys', key: as })).status).toBe(200);
      expect((await send(baseUrl, { path: '/v1/account/keys' })).status).toBe(401);
    },
  ],
];
