import { plainConverse } from './bedrock.fixture.ts';
import { expectError } from './errors.fixture.ts';
import { untilEffective } from './governance.fixture.ts';
import type { Answer } from './http.fixture.ts';
import { plainAnswer } from './provider.fixture.ts';
import {
  answerPlainly,
  chat,
  conversePath as converse,
  functionTool as fn,
  openListedKeys,
  planResponses,
  post,
  postChat,
  talk,
  type ListedKeys,
} from './tool-lists.fixture.ts';

let keys: ListedKeys;
let provider: ListedKeys['provider'];
let denying: string;
let allowing: string;

beforeAll(async () => {
  keys = await openListedKeys();
  ({ provider, denying, allowing } = keys);
});
beforeEach(() => answerPlainly(keys));
afterAll(() => provider.close());

/** Returns the latest upstream request's body. */
const received = () => provider.requests.at(-1)!.body.toString('utf8');
const receivedJson = () => JSON.parse(received()) as Record<string, unknown>;
const expectSent = (answer: Answer) =>
  expect({ status: answer.status, text: answer.text }).toMatchObject({ status: 200 });

function expectRefused(answer: Answer, code: string, param: string): void {
  expectError(answer, { status: 400, type: 'invalid_request_error', code, param });
  expect(provider.requests).toHaveLength(0);
}

describe('a tool list governs the request', () => {
  it('a tool list applies to the older fields functions and function_call', async () => {
    const functions = [{ name: 'read' }, { name: 'erase' }];
    expectSent(await postChat(denying, { ...chat, functions, function_call: 'auto' }));
    expect(receivedJson()).toMatchObject({ functions: [{ name: 'read' }], function_call: 'auto' });
    expectSent(await postChat(allowing, { ...chat, functions: [{ name: 'erase' }], function_call: 'auto' }));
    expect(receivedJson()).toEqual({ ...chat, model: 'gpt-4o' });
    provider.reset();
    const forced = { ...chat, functions, function_call: { name: 'erase' } };
    expectRefused(await postChat(denying, forced), 'tool_not_allowed', 'function_call');
  });

  it('a tool with a second name or a second body is rejected', async () => {
    const decoy = { type: 'custom', custom: { name: 'erase' }, function: { name: 'search' } };
    expectRefused(await postChat(denying, { ...chat, tools: [decoy] }), 'ambiguous_tools', 'tools[0].custom');
    const named = { type: 'function', name: 'search', function: { name: 'erase' } };
    expectRefused(
      await postChat(denying, { ...chat, tools: [fn('read'), named] }),
      'ambiguous_tools',
      'tools[1]',
    );
  });

  it.each([
    ['unplanned', false],
    ['planned', true],
  ])(
    'a tool list applies to %s requests of /v1/responses, with namespaces, tool search and forced tools',
    async (_how, plan) => {
      await planResponses(keys, plan);
      provider.setControls({ ...plainAnswer, body: { id: 'resp_1', object: 'response', output: [] } });
      const base = { model: 'openai/gpt-4o', input: 'hello' };
      const own = (name: string) => ({ type: 'function', name, parameters: {} });
      const namespace = { type: 'namespace', name: 'crm', tools: [own('read'), own('erase')] };
      const input = [
        { type: 'additional_tools', tools: [own('erase')] },
        { type: 'tool_search_output', call_id: 'c', tools: [own('erase'), own('read')] },
      ];
      expectSent(await post('/v1/responses', denying, { ...base, input, tools: [own('erase'), namespace] }));
      expect(received()).not.toContain('erase');
      expect(receivedJson()).toMatchObject({ tools: [{ name: 'crm', tools: [{ name: 'read' }] }] });
      provider.reset();
      const forced = { ...base, tools: [own('read')], tool_choice: { type: 'function', name: 'erase' } };
      expectRefused(await post('/v1/responses', denying, forced), 'tool_not_allowed', 'tool_choice');
      const allowed = { type: 'allowed_tools', mode: 'auto', tools: [own('erase')] };
      const listed = { ...base, tools: [own('read')], tool_choice: allowed };
      expectRefused(await post('/v1/responses', denying, listed), 'tool_not_allowed', 'tool_choice');
      const stored = { ...base, prompt: { id: 'pmpt_1' } };
      expectRefused(await post('/v1/responses', denying, stored), 'ambiguous_tools', 'prompt');
      await planResponses(keys, false);
    },
  );

  it('a tool list applies to MCP servers, and to built-in tools that have no name', async () => {
    const nameless = [{ type: 'web_search' }, { type: 'code_interpreter', container: {} }, fn('read')];
    expectSent(await postChat(denying, { ...chat, tools: nameless, web_search_options: {} }));
    expect(receivedJson()).toEqual({ ...chat, model: 'gpt-4o', tools: [fn('read')] });
    const mcp = {
      type: 'mcp',
      server_label: 'shop',
      server_url: 'https://mcp.example',
      allowed_tools: ['read'],
    };
    for (const key of [denying, allowing]) {
      expectSent(await post('/v1/responses', key, { model: 'openai/gpt-4o', input: 'x', tools: [mcp] }));
      expect(received()).not.toContain('mcp');
    }
    const open = await keys.createLimited({ allowed_tools: ['mcp', 'shop', 'read'] });
    await untilEffective();
    provider.reset();
    const all = { ...mcp, allowed_tools: undefined };
    expectRefused(
      await post('/v1/responses', open, { model: 'openai/gpt-4o', input: 'x', tools: [all] }),
      'ambiguous_tools',
      'tools[0].allowed_tools',
    );
    provider.setControls(plainAnswer);
    const both = { ...mcp, allowed_tools: ['erase', 'read'] };
    expectSent(await post('/v1/responses', open, { model: 'openai/gpt-4o', input: 'x', tools: [both] }));
    expect(receivedJson()['tools']).toEqual([mcp]);
  });

  it('a request with a repeated tool field, or with a tool field in another letter case, is rejected', async () => {
    for (const [member, value] of Object.entries({
      Tools: [fn('erase')],
      FUNCTIONS: [{ name: 'erase' }],
      tool_Choice: 'auto',
      toolſ: [fn('erase')],
      'tool-choice': 'auto',
    }))
      expectRefused(await postChat(denying, { ...chat, [member]: value }), 'ambiguous_tools', member);
    const twice = `{"tools":[${JSON.stringify(fn('erase'))}],"t\\u006fols":[],${JSON.stringify(chat).slice(1)}`;
    expectRefused(await postChat(denying, twice), 'ambiguous_tools', 'tools');
    // For an API key without allowed or denied tools, the gateway sends the request bytes unchanged.
    const plain = JSON.stringify({ ...chat, model: 'gpt-4o', Tools: [fn('erase')] });
    expectSent(await postChat(keys.free, plain.replace('"gpt-4o"', '"openai/gpt-4o"')));
    expect(received()).toBe(plain);
  });

  it('a tool list applies to the MCP servers and versioned tools of the messages API', async () => {
    const messages = { model: 'anthropic/claude-sonnet-4-5', max_tokens: 10, messages: chat.messages };
    const search = { type: 'web_search_20250305', name: 'web_search' };
    const mcp_servers = [{ type: 'url', name: 'shop', url: 'https://mcp.example' }];
    await post('/v1/messages', denying, { ...messages, tools: [search], mcp_servers });
    expect(receivedJson()).toEqual({ ...messages, model: 'claude-sonnet-4-5' });
    await post('/v1/messages', allowing, { ...messages, tools: [search] });
    expect(receivedJson()).toMatchObject({ tools: [search] });
    provider.reset();
    const decoy = { type: 'bash_20250124', name: 'read' };
    await post('/v1/messages', allowing, { ...messages, tools: [decoy] });
    expect(received()).not.toContain('bash');
    await post('/v1/messages/count_tokens', denying, {
      ...messages,
      tools: [search, { name: 'erase', input_schema: {} }],
    });
    expect(received()).not.toContain('erase');
    expect(received()).not.toContain('web_search');
  });

  it('a tool list applies to toolConfig and the additional fields of the converse API', async () => {
    const spec = (name: string) => ({ toolSpec: { name, inputSchema: { json: { type: 'object' } } } });
    provider.setControls(
      plainConverse({
        output: { message: { role: 'assistant', content: [{ text: 'x' }] } },
        stopReason: 'end_turn',
        usage: { inputTokens: 1, outputTokens: 1, totalTokens: 2 },
      }),
    );
    const point = { cachePoint: { type: 'default' } };
    const toolConfig = { tools: [spec('erase'), point, spec('read'), point] };
    const additionalModelRequestFields = {
      tools: [{ name: 'erase', input_schema: {} }],
      nested: { deep: [{ tools: [{ name: 'erase' }] }] },
      top_k: 5,
    };
    expectSent(await post(converse, denying, { ...talk, toolConfig, additionalModelRequestFields }));
    expect(receivedJson()).toMatchObject({
      toolConfig: { tools: [spec('read'), point] },
      additionalModelRequestFields: { top_k: 5 },
    });
    expect(received()).not.toContain('erase');
    provider.reset();
    const forced = { tools: [spec('read')], toolChoice: { tool: { name: 'erase' } } };
    const refused = await post(converse, denying, { ...talk, toolConfig: forced });
    expect(refused.status).toBe(400);
    expect(refused.headers['x-amzn-errortype']).toBe('ValidationException');
    expect(refused.text).toContain('erase');
    expect(provider.requests).toHaveLength(0);
  });
});
