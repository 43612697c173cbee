/** Deviations from the interface that an audit found, each with the behavior that the interface requires. */
import { billing, keyUsageList } from '@gateway/contracts';
import { sharedStack } from '@gateway/testing';
import { eventually } from '../integration/stack.fixture.ts';
import { connectProvider, createTestAccount } from './account.fixture.ts';
import { onceEffective, untilEffective } from './governance.fixture.ts';
import { send } from './http.fixture.ts';
import {
  ask,
  baseUrl,
  chat,
  fn,
  hello,
  rowOf,
  say,
  serve,
  type InterfaceWorld,
  type Row,
} from './interface.fixture.ts';

interface Session {
  readonly session_id: string;
  readonly requests: number;
}
const sessionsOf = async (world: InterfaceWorld) =>
  (await ask(world, 'GET', '/v1/account/sessions?limit=500'))['data'] as Session[];

/** Creates an API key with `allowed: [read]` and `denied: [erase]`, and waits until both lists are in effect. */
async function limited(world: InterfaceWorld): Promise<InterfaceWorld> {
  const { id, key } = await world.createKey({ rate_limit_rpm: 10_000 });
  const lists = { allowed_tools: ['read'], denied_tools: ['erase'] };
  await ask(world, 'PUT', `/v1/account/keys/${id}/toollist`, lists);
  await untilEffective();
  return { ...world, key };
}

export const auditRows: readonly Row[] = [
  [
    'tool lists govern legacy functions, nameless tools and /v1/responses',
    async (world) => {
      const only = await limited(world);
      const legacy = await chat(only, { functions: [{ name: 'erase' }, { name: 'read' }] });
      expect(legacy.sent['functions']).toEqual([{ name: 'read' }]);
      const nameless = await chat(only, { tools: [{ type: 'web_search' }, fn('read')] });
      expect(JSON.stringify(nameless.sent['tools'])).not.toContain('web_search');
      const body = { model: 'openai/gpt-4o', input: 'x', tools: [{ type: 'function', name: 'erase' }] };
      const responses = await serve(only, { path: '/v1/responses', body });
      expect(JSON.stringify(responses.sent)).not.toContain('erase');
      const forced = { ...body, tool_choice: { type: 'function', name: 'erase' } };
      expect((await send(baseUrl, { path: '/v1/responses', key: only.key, body: forced })).status).toBe(400);
    },
  ],
  [
    'x-svc-tools-input counts the tools of the original request, before tool lists',
    async (world) => {
      const { headers } = await chat(await limited(world), { tools: [fn('read'), fn('erase')] });
      expect(headers).toMatchObject({ 'x-svc-tools-input': '2', 'x-svc-prune-ratio': '1/2' });
    },
  ],
  [
    'x-svc-ctx-tokens-* are absent when compression is off',
    async (world) => {
      const own = await ownAccount(world);
      await ask(own, 'PUT', '/v1/account/routing/preferences', {
        compression: { mode: 'off' },
        pruning: { mode: 'off' },
      });
      await untilEffective();
      const { headers } = await chat(own, { tools: [fn('read')] });
      expect(Object.keys(headers).filter((name) => name.includes('ctx-tokens'))).toEqual([]);
    },
  ],
  [
    'a proxied request creates no session',
    async (world) => {
      const headers = { 'x-svc-session-id': 'a-proxied-session' };
      const { answer } = await serve(world, {
        path: '/v1/embeddings',
        body: { model: 'openai/e', input: 'x' },
        headers,
      });
      await rowOf(world, answer);
      expect((await sessionsOf(world)).map(({ session_id }) => session_id)).not.toContain(
        'a-proxied-session',
      );
    },
  ],
  ...['Größe', 'x'.repeat(300), 'a/b c'].map((id): Row => [
    `X-Svc-Session-Id is any string, kept whole: ${id.slice(0, 12)} (${id.length} characters)`,
    async (world) => {
      const headers = { 'x-svc-session-id': Buffer.from(id, 'utf8').toString('latin1') };
      await chat(world, {}, headers);
      await eventually(
        async () => (await sessionsOf(world)).some(({ session_id }) => session_id === id) || undefined,
      );
    },
  ]),
  [
    'two long session ids with the same start are two sessions',
    async (world) => {
      const ids = ['a', 'b'].map((end) => `${'y'.repeat(260)}${end}`);
      for (const id of ids) await chat(world, {}, { 'x-svc-session-id': id });
      await eventually(async () => {
        const known = (await sessionsOf(world)).map(({ session_id }) => session_id);
        return ids.every((id) => known.includes(id)) || undefined;
      });
    },
  ],
  [
    'models of a provider without a catalogue are in GET /v1/models and in the routing strings, and can be toggled',
    async (world) => {
      const own = await ownAccount(world, []);
      const body = { provider: 'ollama', api_key: 'ollama-key-0123', base_url: `${world.provider.url}/v1` };
      await connectProvider(baseUrl, own.key, body);
      const models = '/v1/account/models/ollama/house';
      await ask(own, 'PUT', models, { context_window: 9_000 });
      await untilEffective();
      const { data } = (await ask(own, 'GET', '/v1/models')) as { data: { id: string }[] };
      expect(data.map(({ id }) => id)).toContain('ollama/house');
      const toggle = { provider: 'ollama', model_id: 'house', is_enabled: true };
      await ask(own, 'POST', '/v1/account/routing/models/toggle', toggle);
      expect((await chat(own, { model: 'svc/auto' })).headers['x-svc-model']).toBe('house');
    },
  ],
  [
    'GET /v1/account/routing/models lists what routing can choose, and says why it excludes the rest',
    async (world) => {
      const own = await ownAccount(world);
      const { data, excluded } = (await ask(own, 'GET', '/v1/account/routing/models')) as {
        data: { id: string }[];
        excluded: { id: string; excluded_by: string }[];
      };
      const { answer } = await chat(own, { model: 'svc/cheap' });
      const choice = (await rowOf(own, answer)).model_choice!;
      const chosen = new Set([...choice.candidates.map(({ id }) => id)]);
      const offered = new Set(data.map(({ id }) => id));
      expect([...chosen].filter((id) => !offered.has(id))).toEqual([]);
      const rules = new Map(excluded.map(({ id, excluded_by }) => [id, excluded_by]));
      for (const { id, rule } of choice.excluded) expect([id, rules.get(id)]).toEqual([id, rule]);
    },
  ],
  [
    'a bare gpt-4o works with OpenAI and Azure connected, and names the provider',
    async (world) => {
      const own = await ownAccount(world);
      const body = { provider: 'azure', api_key: 'azure-key-0123', base_url: world.provider.url };
      await connectProvider(baseUrl, own.key, body);
      await onceEffective(async () =>
        expect((await chat(own, { model: 'gpt-4o' })).headers['x-svc-provider']).toBe('openai'),
      );
    },
  ],
  [
    'rate_limit_rpm also limits account routes',
    async (world) => {
      const { key } = await world.createKey({ rate_limit_rpm: 1 });
      const status = async () => (await send(baseUrl, { path: '/v1/account/keys', key })).status;
      expect([await status(), await status()]).toEqual([200, 429]);
    },
  ],
  [
    'cloud_region_name without credentials is harmless',
    async (world) => {
      expect((await chat(world, { cloud_region_name: 'eu-west-1' })).sent).toEqual({
        ...hello,
        model: 'gpt-4o',
      });
    },
  ],
  [
    'x-svc-examples of objects change the routing, as examples of text do',
    async (world) => {
      const tools = Array.from({ length: 60 }, (_, at) =>
        fn(`tool_${at}`, { description: `Number ${at} of the tools` }),
      );
      for (const example of ['zwiebelkuchen backen', { input: 'zwiebelkuchen backen' }]) {
        const taught = tools.map((tool, at) =>
          at === 47 ? fn('tool_47', { ...tool.function, 'x-svc-examples': [example] }) : tool,
        );
        const messages = say('Please start with zwiebelkuchen backen');
        const { sent } = await chat(world, { messages, tools: taught });
        const names = (sent['tools'] as { function: { name: string } }[]).map((tool) => tool.function.name);
        expect(names.slice(0, 60)).toContain('tool_47');
      }
    },
  ],
  [
    'usage by key and the billing estimate cover the same period and have the same sum',
    async (world) => {
      const { answer } = await chat(world);
      await rowOf(world, answer);
      await eventually(async () => {
        const byKey = keyUsageList.parse(await ask(world, 'GET', '/v1/account/usage/by-key'));
        const { period } = billing.parse(await ask(world, 'GET', '/v1/account/billing'));
        expect([byKey.period_start, byKey.period_end]).toEqual([period.start, period.end]);
        const sums = byKey.data.map(({ total_tokens_saved }) => total_tokens_saved ?? 0);
        return sums.reduce((sum, saved) => sum + saved, 0) === period.total_tokens_saved || undefined;
      });
    },
  ],
];

/** Another account with the replay provider. Tests can change the account's preferences. */
export async function ownAccount(
  world: InterfaceWorld,
  providers = ['openai', 'anthropic'],
): Promise<InterfaceWorld> {
  const account = await createTestAccount(sharedStack());
  const { url } = world.provider;
  const urls: Record<string, string> = { openai: `${url}/v1`, anthropic: url };
  for (const provider of providers) {
    const body = { provider, api_key: 'upstream-key', base_url: urls[provider]! };
    await connectProvider(baseUrl, account.apiKey, body);
  }
  return { ...world, account, key: account.apiKey };
}
