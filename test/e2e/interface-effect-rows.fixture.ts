/** The lines of the interface document that describe effects of settings, and providers with other endpoints. */
import { billing, usageSummary } from '@gateway/contracts';
import { sharedStack } from '@gateway/testing';
import { setTimeout as waitMs } from 'node:timers/promises';
import { eventually } from '../integration/stack.fixture.ts';
import { connectProvider, createTestAccount } from './account.fixture.ts';
import { startAwsService, type AwsService } from './aws-service.fixture.ts';
import { edgeUrl } from './edges.fixture.ts';
import { githubTools } from './github-tools.fixture.ts';
import { onceEffective, untilEffective } from './governance.fixture.ts';
import { postChat } from './http.fixture.ts';
import { ownAccount } from './interface-audit-rows.fixture.ts';
import {
  ask,
  baseUrl,
  chat,
  fn,
  rowOf,
  say,
  serve,
  statusOf,
  type InterfaceWorld,
  type Row,
} from './interface.fixture.ts';
import { easy, hard } from './routed-providers.fixture.ts';

const question = say('List the open issues of the repository octocat/hello');
const prune = (world: InterfaceWorld, changes: object = {}) =>
  chat(world, { messages: question, tools: githubTools, ...changes });
const namesIn = (sent: Record<string, unknown>) =>
  (sent['tools'] as { function: { name: string } }[]).map((tool) => tool.function.name);

/** Sends a request with a routing string. Returns the recorded choice of the model. */
async function choose(world: InterfaceWorld, model: string, content = easy) {
  const { answer } = await chat(world, { model, messages: say(content) });
  return (await rowOf(world, answer)).model_choice!;
}

const secret = 'wJalrXUtnFEMI/K7MDENG+bPxRfiCYEXAMPLEKEY';
const signing = { cloud_access_key_id: 'AKIAIOSFODNN7EXAMPLE', cloud_secret_access_key: secret };

/** A request with cloud credentials. The receiving server verifies signatures as AWS does. */
const signed = (line: string, fields: object, check: (sent: AwsService['requests'][number]) => void): Row => [
  line,
  async ({ key }) => {
    const service = await startAwsService(secret);
    try {
      const body = { model: 'hosted/amazon.nova-lite-v1:0', messages: say('Hello'), ...fields };
      await postChat(edgeUrl(sharedStack(), 'tight'), key, body);
      expect(service.requests).toHaveLength(1);
      check(service.requests[0]!);
    } finally {
      service.close();
    }
  },
];

/** A proxied endpoint of a provider that the account connects for this row. */
const proxiedBy = (provider: string, path: string, body: object, answer: object): Row => [
  `POST ${path} proxies with the stored provider key`,
  async (world) => {
    const { apiKey } = await createTestAccount(sharedStack());
    const base_url = provider === 'mistral' ? `${world.provider.url}/v1` : world.provider.url;
    await connectProvider(baseUrl, apiKey, { provider, api_key: 'upstream-key', base_url });
    const headers = { 'content-type': 'application/json' };
    const controls = { status: 200, body: answer, headers };
    const { upstream, json } = await serve({ ...world, key: apiKey }, { path, body }, controls);
    expect(upstream.headers.authorization).toBe('Bearer upstream-key');
    expect(json).toMatchObject(answer);
  },
];

/** A spent budget of saved tokens. The gateway forwards the request, but does not optimize it. */
const budget = (field: 'daily_token_budget' | 'weekly_token_budget'): Row => [
  `${field} caps the saved tokens: with a spent budget, the request is forwarded unchanged`,
  async (world) => {
    const { key } = await world.createKey({ [field]: 0 });
    const { headers, sent } = await prune({ ...world, key });
    expect(headers).toMatchObject({ 'x-svc-budget': 'exhausted', 'x-svc-prune-ratio': '117/117' });
    expect(namesIn(sent)).toHaveLength(117);
  },
];

export const effectRows: readonly Row[] = [
  [
    'svc/auto picks by task complexity: a cheaper model for a simple query than for complex reasoning',
    async (world) => {
      const [simple, complex] = [await choose(world, 'svc/auto'), await choose(world, 'svc/auto', hard)];
      expect([simple.level, complex.level]).toEqual(['low', 'high']);
      expect(simple.candidates[0]!.cost_usd!).toBeLessThan(complex.candidates[0]!.cost_usd!);
    },
  ],
  [
    'svc/cheap picks the cheapest capable model',
    async (world) => {
      const { candidates, reason } = await choose(world, 'svc/cheap');
      expect(reason).toBe('cheapest');
      const costs = candidates.map(({ cost_usd }) => cost_usd ?? Infinity);
      expect(costs[0]).toBe(Math.min(...costs));
    },
  ],
  [
    'svc/fast picks by latency, the lowest observed first',
    async (world) => {
      const { candidates, reason } = await choose(world, 'svc/fast');
      expect(['fastest', 'explored']).toContain(reason);
      const scores = candidates.map(({ score }) => score ?? Infinity);
      if (reason === 'fastest') expect(scores[0]).toBe(Math.min(...scores));
    },
  ],
  [
    'svc/capable picks the most capable model',
    async (world) => {
      const { candidates, reason } = await choose(world, 'svc/capable');
      expect(reason).toBe('most_capable');
      const scores = candidates.map(({ score }) => score ?? -Infinity);
      expect(scores[0]).toBe(Math.max(...scores));
    },
  ],
  [
    'is_enabled: false excludes a model from automatic routing',
    async (world) => {
      const own = await ownAccount(world);
      const chosen = (await choose(own, 'svc/cheap')).candidates[0]!.id;
      const [provider, ...rest] = chosen.split('/');
      const toggle = { provider, model_id: rest.join('/'), is_enabled: false };
      await ask(own, 'POST', '/v1/account/routing/models/toggle', toggle);
      await onceEffective(async () => {
        const { candidates } = await choose(own, 'svc/cheap');
        expect(candidates.map(({ id }) => id)).not.toContain(chosen);
      });
    },
  ],
  [
    'allowed providers and the maximum cost limit the choice of the model',
    async (world) => {
      const own = await ownAccount(world);
      const limits = { allowed_providers: ['anthropic'], max_cost_usd_per_mtok: 20 };
      await ask(own, 'PUT', '/v1/account/routing/preferences', limits);
      await onceEffective(async () => {
        const { candidates } = await choose(own, 'svc/capable');
        expect(new Set(candidates.map(({ id }) => id.split('/')[0]))).toEqual(new Set(['anthropic']));
      });
    },
  ],
  [
    'the routing mode of the preferences is the mode of svc/auto',
    async (world) => {
      const own = await ownAccount(world);
      await ask(own, 'PUT', '/v1/account/routing/preferences', { mode: 'cheap' });
      await onceEffective(async () => expect((await choose(own, 'svc/auto')).mode).toBe('cheap'));
    },
  ],
  [
    'critical terms are preserved: a tool that the user names is forwarded',
    async (world) => {
      const { key } = await world.createKey({ k_target_override: 1 });
      const messages = say('Now call fork_repository for octocat/hello');
      expect(namesIn((await prune({ ...world, key }, { messages })).sent)).toContain('fork_repository');
    },
  ],
  [
    'tool schemas are compressed when tools are present',
    async (world) => {
      const { sent } = await prune(world);
      const kept = namesIn(sent).filter((name) => githubTools.some((tool) => tool.function.name === name));
      const original = githubTools.filter((tool) => kept.includes(tool.function.name));
      const forwarded = (sent['tools'] as { function: { name: string } }[]).filter((tool) =>
        kept.includes(tool.function.name),
      );
      expect(JSON.stringify(forwarded).length).toBeLessThan(JSON.stringify(original).length);
    },
  ],
  [
    'k_target_override forces a narrower tool window',
    async (world) => {
      const [narrow, wide] = [3, 60].map((k) => world.createKey({ k_target_override: k }));
      const [few, many] = [
        await prune({ ...world, key: (await narrow!).key }),
        await prune({ ...world, key: (await wide!).key }),
      ];
      expect(namesIn(few.sent).length).toBeLessThan(namesIn(many.sent).length);
      expect(namesIn(few.sent).length).toBeLessThan(10);
    },
  ],
  budget('daily_token_budget'),
  budget('weekly_token_budget'),
  [
    'expires_at ends the key',
    async (world) => {
      const expiresAt = Date.now() + 2_000;
      const { key } = await world.createKey({ expires_at: new Date(expiresAt).toISOString() });
      expect(await statusOf(key)).toBe(200);
      await waitMs(expiresAt - Date.now() + 100);
      expect(await statusOf(key)).toBe(401);
    },
  ],
  [
    'saved tokens: totals and billing use the sum of estimated_tokens_saved and compression_tokens_saved',
    async (world) => {
      const own = await ownAccount(world);
      await rowOf(own, (await prune(own)).answer);
      await eventually(async () => {
        const sums = usageSummary.parse(await ask(own, 'GET', '/v1/account/usage/summary'));
        if (!sums.estimated_tokens_saved) return undefined;
        expect(sums.total_tokens_saved).toBe(
          sums.estimated_tokens_saved + (sums.compression_tokens_saved ?? 0),
        );
        const { period } = billing.parse(await ask(own, 'GET', '/v1/account/billing'));
        return period.total_tokens_saved === sums.total_tokens_saved || undefined;
      });
    },
  ],
  [
    'provider savings use model pricing where available',
    async (world) => {
      const row = await rowOf(world, (await prune(world)).answer);
      expect(row.provider_savings_usd).toEqual(expect.any(Number));
      expect(row.cost_usd).toBeGreaterThan(0);
    },
  ],
  [
    'GET /v1/account/requests takes limit and offset',
    async (world) => {
      for (let at = 0; at < 3; at++) await rowOf(world, (await chat(world, { tools: [fn('read')] })).answer);
      const read = async (query: string) =>
        (await ask(world, 'GET', `/v1/account/requests?${query}`))['data'] as { id: string }[];
      const [first, second] = [await read('limit=2'), await read('limit=2&offset=1')];
      expect([first.length, second.length]).toEqual([2, 2]);
      expect(second[0]?.id).toBe(first[1]?.id);
    },
  ],
  [
    'GET /v1/account/usage/analytics/daily takes days, and the alias of the daily usage too',
    async (world) => {
      for (const path of ['/v1/usage/analytics/daily', '/v1/usage/daily', '/v1/account/usage/daily'])
        expect((await ask(world, 'GET', `${path}?days=5`))['data']).toHaveLength(5);
    },
  ],
  proxiedBy(
    'cohere',
    '/v1/rerank',
    { model: 'cohere/rerank-v3.5', query: 'capital', documents: ['a', 'b'] },
    { results: [{ index: 1, relevance_score: 0.9 }] },
  ),
  proxiedBy(
    'mistral',
    '/v1/ocr',
    {
      model: 'mistral/mistral-ocr-latest',
      document: { type: 'document_url', document_url: 'https://a.example/' },
    },
    { pages: [{ index: 0, markdown: '# Title' }] },
  ),
  signed(
    'cloud_access_key_id, cloud_secret_access_key and cloud_region_name sign the request for the region',
    { ...signing, cloud_region_name: 'eu-west-1' },
    ({ host, isSigned }) =>
      expect({ host, isSigned }).toEqual({ host: 'bedrock-runtime.eu-west-1.amazonaws.com', isSigned: true }),
  ),
  signed('cloud_region_name is us-east-1 by default', signing, ({ host, isSigned }) =>
    expect({ host, isSigned }).toEqual({ host: 'bedrock-runtime.us-east-1.amazonaws.com', isSigned: true }),
  ),
  signed(
    'cloud_session_token is part of the signed request',
    { ...signing, cloud_session_token: 'IQoJb3JpZ2luX2VjEXAMPLE' },
    ({ token, isSigned }) =>
      expect({ token, isSigned }).toEqual({ token: 'IQoJb3JpZ2luX2VjEXAMPLE', isSigned: true }),
  ),
  signed(
    'cloud_bearer_token_hosted is sent in place of a signature, and not in the body',
    { cloud_bearer_token_hosted: 'bedrock-api-key-0123456789' },
    ({ authorization, body }) => {
      expect(authorization).toBe('Bearer bedrock-api-key-0123456789');
      expect(body).not.toContain('cloud_');
    },
  ),
  [
    'changed tool lists and revocations reach every replica',
    async (world) => {
      const { id, key } = await world.createKey();
      const edge = edgeUrl(sharedStack(), 'tight');
      const hi = { model: 'sandbox/sandbox-1', messages: say('Hello') };
      expect((await postChat(edge, key, hi)).status).toBe(200);
      await ask(world, 'DELETE', `/v1/account/keys/${id}`);
      await untilEffective();
      expect((await postChat(edge, key, hi)).status).toBe(401);
    },
  ],
];
