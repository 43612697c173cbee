/** The lines of the interface document that describe chat requests and proxied requests. */
import { eventually } from '../integration/stack.fixture.ts';
import { chatConversation, result } from './conversations.fixture.ts';
import { githubTools } from './github-tools.fixture.ts';
import { send } from './http.fixture.ts';
import {
  ask,
  baseUrl,
  chat,
  fn,
  hello,
  refused,
  rowOf,
  say,
  serve,
  type InterfaceWorld,
  type Row,
} from './interface.fixture.ts';
import { streamedAnswer } from './provider.fixture.ts';

const question = say('List the open issues of the repository octocat/hello');
const messages = { model: 'anthropic/claude-sonnet-4-5', max_tokens: 100, messages: say('Hello') };
const talk = { messages: [{ role: 'user', content: [{ text: 'Hello' }] }] };
const conversePath = '/model/hosted%2Famazon.nova-lite-v1%3A0/converse';

const pruned = (world: InterfaceWorld) => chat(world, { messages: question, tools: githubTools });

const aws = { cloud_access_key_id: 'AKIAIOSFODNN7EXAMPLE', cloud_secret_access_key: 'wJalrXUtnFEMI/K7MDENG' };
/** The cloud credential fields, each with the fields that it requires. */
const cloudFields = {
  cloud_access_key_id: aws,
  cloud_secret_access_key: aws,
  cloud_region_name: { cloud_region_name: 'eu-west-1' },
  cloud_session_token: { ...aws, cloud_session_token: 'session-token-0123' },
  cloud_bearer_token_hosted: { cloud_bearer_token_hosted: 'bearer-token-0123' },
};

export const chatRows: readonly Row[] = [
  [
    'agents send only the service key, and the stored provider key is injected',
    async (world) => {
      const { upstream } = await chat(world);
      expect(upstream.headers.authorization).toBe('Bearer upstream-key');
      expect(upstream.rawHeaders.join()).not.toContain(world.key);
    },
  ],
  [
    'the tool list is pruned by the last user message',
    async (world) => {
      const { sent } = await pruned(world);
      const names = (sent['tools'] as { function: { name: string } }[]).map((tool) => tool.function.name);
      expect(names).toContain('list_issues');
      expect(names.length).toBeLessThan(githubTools.length / 2);
    },
  ],
  [
    'long tool results are compressed when useful, with x-svc-ctx-tokens-in, -out and -saved',
    async (world) => {
      const { path } = chatConversation;
      const body = chatConversation.body([result('row-1'), result('row-1')]);
      const { headers } = await serve(world, { path, body });
      const read = (name: string) => Number(headers[`x-svc-ctx-tokens-${name}`]);
      expect(read('saved')).toBeGreaterThan(0);
      expect(read('in') - read('out')).toBe(read('saved'));
    },
  ],
  [
    'the outbound payload is validated: an unbalanced tool call is a 400',
    (world) =>
      refused(
        world,
        '/v1/chat/completions',
        { ...hello, messages: [{ role: 'tool', tool_call_id: 'c', content: 'x' }] },
        400,
      ),
  ],
  [
    'POST /v1/chat/completions answers in its format',
    async (world) => {
      const { json } = await chat(world);
      expect(json).toMatchObject({
        object: 'chat.completion',
        choices: [{ index: 0, finish_reason: 'stop' }],
      });
      expect([typeof json['id'], typeof json['created'], typeof json['model']]).toEqual([
        'string',
        'number',
        'string',
      ]);
      expect(json['usage']).toEqual({ prompt_tokens: 1000, completion_tokens: 100, total_tokens: 1100 });
    },
  ],
  [
    'POST /v1/messages takes tools with name, description and input_schema',
    async (world) => {
      const tools = [{ name: 'read', description: 'Reads', input_schema: { type: 'object' } }];
      const { json, sent } = await serve(world, { path: '/v1/messages', body: { ...messages, tools } });
      expect(json).toMatchObject({ type: 'message', role: 'assistant' });
      expect(sent['tools']).toEqual([expect.objectContaining({ name: 'read' })]);
    },
  ],
  [
    'POST /model/{id}/converse answers in its format',
    async (world) => {
      const { json, upstream } = await serve(world, { path: conversePath, body: talk });
      expect(json).toMatchObject({ stopReason: 'end_turn' });
      expect(upstream.url).toContain('/converse');
    },
  ],
  [
    'converse rejects unknown fields such as cloud_bearer_token_hosted',
    (world) => refused(world, conversePath, { ...talk, cloud_bearer_token_hosted: 'x' }, 400),
  ],
  [
    'messages rejects the cloud_* fields',
    (world) => refused(world, '/v1/messages', { ...messages, cloud_region_name: 'us-east-1' }, 400),
  ],
  ...['files', 'batches', 'vector_stores', 'assistants', 'containers', 'evals'].map((name): Row => [
    `POST /v1/${name} is not exposed`,
    async (world) => expect(await refused(world, `/v1/${name}`, {}, 404)).toContain('not_found'),
  ]),
  ...['svc/auto', 'svc/cheap', 'svc/fast', 'svc/capable'].map((model): Row => [
    `${model} chooses a model of the connected providers`,
    async (world) => {
      const { headers } = await chat(world, { model });
      expect(['openai', 'anthropic', 'hosted']).toContain(headers['x-svc-provider']);
    },
  ]),
  [
    'model: a provider prefix selects the provider and does not reach it',
    async (world) => expect((await chat(world)).sent['model']).toBe('gpt-4o'),
  ],
  [
    'model: the provider is detected from a bare model name',
    async (world) => {
      const { headers } = await chat(world, { model: 'gpt-4o' });
      expect(headers['x-svc-provider']).toBe('openai');
    },
  ],
  [
    'model is required',
    async (world) =>
      expect(await refused(world, '/v1/chat/completions', { messages: say('x') }, 400)).toContain(
        'missing_field',
      ),
  ],
  [
    'messages is required',
    async (world) =>
      expect(await refused(world, '/v1/chat/completions', { model: 'openai/gpt-4o' }, 400)).toContain(
        'missing_field',
      ),
  ],
  [
    'a request without tools is forwarded unchanged, without tool headers',
    async (world) => {
      const { sent, headers } = await chat(world, { some_new_field: [1] });
      expect(sent).toEqual({ ...hello, model: 'gpt-4o', some_new_field: [1] });
      expect(Object.keys(headers).filter((name) => /x-svc-(tools|prune|routing|ctx)/.test(name))).toEqual([]);
    },
  ],
  [
    'stream: true answers with Server-Sent Events',
    async (world) => {
      const body = { ...hello, stream: true };
      const { answer } = await serve(
        world,
        { path: '/v1/chat/completions', body },
        streamedAnswer(['a', 'b']),
      );
      expect(answer.headers['content-type']).toContain('text/event-stream');
      expect(answer.text.trimEnd().endsWith('data: [DONE]')).toBe(true);
    },
  ],
  [
    'tool_choice, temperature and max_tokens are forwarded unchanged',
    async (world) => {
      const fields = { tool_choice: 'auto', temperature: 0.25, max_tokens: 17 };
      expect((await chat(world, { ...fields, tools: [fn('read')] })).sent).toMatchObject(fields);
    },
  ],
  ...Object.entries(cloudFields).map(([name, fields]): Row => [
    `${name} never reaches another provider, and is harmless there`,
    async (world) => expect((await chat(world, fields)).sent).toEqual({ ...hello, model: 'gpt-4o' }),
  ]),
  [
    'function.x-svc-examples is stripped before forwarding',
    async (world) => {
      const tool = fn('read', { 'x-svc-examples': ['open a file', { input: 'show the text' }] });
      expect(JSON.stringify((await chat(world, { tools: [tool] })).sent)).not.toContain('x-svc-examples');
    },
  ],
  [
    'choices[].message.tool_calls[] carry id, type and a function with JSON arguments',
    async (world) => {
      const call = { id: 'c1', type: 'function', function: { name: 'read', arguments: '{"a":1}' } };
      const message = { role: 'assistant', content: null, tool_calls: [call] };
      const body = {
        id: 'x',
        object: 'chat.completion',
        created: 1,
        model: 'm',
        choices: [{ index: 0, message, finish_reason: 'tool_calls' }],
        usage: { prompt_tokens: 1, completion_tokens: 1, total_tokens: 2 },
      };
      const sent = { path: '/v1/chat/completions', body: { ...hello, tools: [fn('read')] } };
      const { json } = await serve(world, sent, {
        status: 200,
        body,
        headers: { 'content-type': 'application/json' },
      });
      expect(json['choices']).toEqual(body.choices);
    },
  ],
  [
    'x-svc-tools-input, x-svc-tools-output and x-svc-prune-ratio count the tools',
    async (world) => {
      const { headers, sent } = await pruned(world);
      const output = (sent['tools'] as unknown[]).length;
      expect(headers).toMatchObject({
        'x-svc-tools-input': '117',
        'x-svc-tools-output': `${output}`,
        'x-svc-prune-ratio': `${output}/117`,
      });
    },
  ],
  [
    'x-svc-routing is semantic or keyword when pruning ran',
    async (world) => expect((await pruned(world)).headers['x-svc-routing']).toMatch(/^(semantic|keyword)$/),
  ],
  [
    'x-svc-routing is omitted when the tools are forwarded unchanged',
    async (world) =>
      expect((await chat(world, { tools: [fn('read')] })).headers).not.toHaveProperty('x-svc-routing'),
  ],
  [
    'X-Request-ID is unique, also on errors',
    async (world) => {
      const ids = [(await chat(world)).headers['x-request-id'], (await chat(world)).headers['x-request-id']];
      const failed = await send(baseUrl, { path: '/v1/nowhere', key: world.key, body: {} });
      expect(new Set([...ids, failed.headers['x-request-id']]).size).toBe(3);
      expect(failed.json()).toMatchObject({ request_id: failed.headers['x-request-id'] });
    },
  ],
  [
    'X-Svc-Session-Id groups requests into a session',
    async (world) => {
      for (let turn = 0; turn < 2; turn++) await chat(world, {}, { 'x-svc-session-id': 'row-session' });
      await eventually(async () => {
        const { data } = (await ask(world, 'GET', '/v1/account/sessions')) as {
          data: { session_id: string; requests: number }[];
        };
        return data.find(({ session_id }) => session_id === 'row-session')?.requests === 2 || undefined;
      });
    },
  ],
  [
    'estimated_tokens_saved is 100 tokens per pruned tool, stored apart from compression_tokens_saved',
    async (world) => {
      const { answer, headers } = await pruned(world);
      const row = await rowOf(world, answer);
      const [output] = String(headers['x-svc-prune-ratio']).split('/').map(Number);
      expect(row.estimated_tokens_saved).toBe((117 - (output ?? 0)) * 100);
      expect(row.compression_tokens_saved).toBeGreaterThanOrEqual(0);
    },
  ],
  [
    'a chat request needs Content-Type: application/json',
    async ({ key }) => {
      const answer = await send(baseUrl, {
        path: '/v1/chat/completions',
        key,
        body: hello,
        headers: { 'content-type': 'text/plain' },
      });
      expect(answer.status).toBe(415);
    },
  ],
  [
    'GET /v1/models lists models of connected providers in the common format, and the routing strings',
    async (world) => {
      const { object, data } = (await ask(world, 'GET', '/v1/models')) as {
        object: string;
        data: { id: string; object: string; owned_by: string }[];
      };
      expect(object).toBe('list');
      expect(data.map(({ id }) => id)).toEqual(
        expect.arrayContaining(['openai/gpt-4o', 'svc/auto', 'svc/cheap', 'svc/fast', 'svc/capable']),
      );
      expect(new Set(data.map(({ owned_by }) => owned_by))).toEqual(
        new Set(['openai', 'anthropic', 'hosted', 'sandbox', 'svc']),
      );
    },
  ],
];
