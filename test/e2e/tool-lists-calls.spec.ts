import { sharedStack, type ReplayControls } from '@gateway/testing';
import { requestIdOf, waitForRow } from './account.fixture.ts';
import { streamedConverse } from './bedrock.fixture.ts';
import type { Answer } from './http.fixture.ts';
import { completion, plainAnswer } from './provider.fixture.ts';
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

beforeAll(async () => {
  keys = await openListedKeys();
  ({ provider, denying } = keys);
});
beforeEach(() => answerPlainly(keys));
afterAll(() => provider.close());

describe('a provider’s call to a denied tool', () => {
  const called = (name: string, index = 0) => ({
    ...{ id: `call_${name}`, type: 'function', function: { name, arguments: '{}' } },
    index,
  });
  const answered = (message: object): ReplayControls => ({
    ...plainAnswer,
    body: {
      ...completion,
      choices: [{ index: 0, message: { role: 'assistant', ...message }, finish_reason: 'tool_calls' }],
    },
  });
  const request = { ...chat, tools: [fn('read')] };
  const messageOf = (answer: Answer) =>
    (answer.json() as { choices: { message: Record<string, unknown>; finish_reason: string }[] }).choices[0]!;

  it('a provider’s call to a denied tool does not reach the client, and the log names the tool', async () => {
    provider.setControls(answered({ content: null, tool_calls: [called('erase'), called('read')] }));
    const some = await postChat(denying, request);
    expect(messageOf(some)).toMatchObject({ message: { tool_calls: [{ function: { name: 'read' } }] } });
    expect(some.text).not.toContain('erase');
    provider.setControls(answered({ content: null, tool_calls: [called('erase')] }));
    const none = await postChat(denying, request);
    expect(messageOf(none)).toMatchObject({ finish_reason: 'stop' });
    expect(messageOf(none).message).not.toHaveProperty('tool_calls');
    expect(messageOf(none).message['content']).toMatch(/called "erase".*do not permit/);
    const row = await waitForRow(sharedStack().baseUrl, keys.free, requestIdOf(none));
    expect(row).toMatchObject({ denied_tools: ['erase'], called_tools: [] });
    provider.setControls(answered({ content: null, function_call: { name: 'erase', arguments: '{}' } }));
    expect(messageOf(await postChat(denying, request)).message).not.toHaveProperty('function_call');
  });

  it('a streamed call to a denied tool does not reach the client, but the rest of the stream does', async () => {
    const chunk = (delta: object, finish: string | null = null) =>
      `data: ${JSON.stringify({ id: 'c', object: 'chat.completion.chunk', created: 1, model: 'm', choices: [{ index: 0, delta, finish_reason: finish }] })}\n\n`;
    const frames = [
      chunk({ role: 'assistant', content: 'One moment.' }),
      chunk({ tool_calls: [called('erase')] }),
      chunk({ tool_calls: [{ index: 0, function: { arguments: '{"all":true}' } }] }),
      chunk({ tool_calls: [called('read', 1)] }),
      chunk({}, 'tool_calls'),
      'data: [DONE]\n\n',
    ];
    provider.setControls({
      status: 200,
      body: frames.join(''),
      headers: { 'content-type': 'text/event-stream' },
    });
    const { text } = await postChat(denying, { ...request, stream: true });
    expect(text).toContain('One moment.');
    expect(text).toContain('"read"');
    expect(text).not.toMatch(/erase|\\"all/);
    expect(text.trimEnd()).toMatch(/\[DONE\]$/);
    // For an API key without allowed or denied tools, the client receives the stream's bytes unchanged.
    expect((await postChat(keys.free, { ...request, stream: true })).text).toBe(frames.join(''));
  });

  it('a call to a denied tool does not reach a client of the messages or converse API, even if the provider runs the tool', async () => {
    const content = [
      { type: 'text', text: 'Searching.' },
      { type: 'server_tool_use', id: 'srv_1', name: 'web_search', input: {} },
      { type: 'web_search_tool_result', tool_use_id: 'srv_1', content: [] },
      { type: 'tool_use', id: 'tu_1', name: 'erase', input: {} },
    ];
    const message = {
      id: 'm',
      type: 'message',
      role: 'assistant',
      model: 'c',
      content,
      stop_reason: 'tool_use',
      stop_sequence: null,
      usage: { input_tokens: 1, output_tokens: 1 },
    };
    provider.setControls({ ...plainAnswer, body: message });
    const plain = await post('/v1/messages', denying, {
      model: 'anthropic/claude-sonnet-4-5',
      max_tokens: 9,
      messages: chat.messages,
    });
    expect(plain.json()).toMatchObject({
      content: [{ type: 'text', text: 'Searching.' }],
      stop_reason: 'end_turn',
    });
    provider.setControls(
      streamedConverse([
        ['messageStart', { role: 'assistant' }],
        [
          'contentBlockStart',
          { contentBlockIndex: 0, start: { toolUse: { toolUseId: 't', name: 'erase' } } },
        ],
        ['contentBlockDelta', { contentBlockIndex: 0, delta: { toolUse: { input: '{}' } } }],
        ['contentBlockStop', { contentBlockIndex: 0 }],
        ['messageStop', { stopReason: 'tool_use' }],
        [
          'metadata',
          { usage: { inputTokens: 1, outputTokens: 1, totalTokens: 2 }, metrics: { latencyMs: 1 } },
        ],
      ]),
    );
    const streamed = await post(`${converse}-stream`, denying, talk);
    expect(streamed.text).toContain('do not permit');
    expect(streamed.text).not.toContain('toolUse');
    expect(streamed.text).toContain('end_turn');
  });

  it.each([
    ['unplanned', false],
    ['planned', true],
  ])(
    'a call to a denied tool does not reach an %s client of the Responses API, plain or streamed',
    async (_how, plan) => {
      await planResponses(keys, plan);
      const output = [{ type: 'function_call', id: 'fc', call_id: 'c', name: 'erase', arguments: '{}' }];
      const response = { id: 'resp_1', object: 'response', status: 'completed', output };
      provider.setControls({ ...plainAnswer, body: response });
      const base = { model: 'openai/gpt-4o', input: 'hello' };
      const plain = await post('/v1/responses', denying, base);
      expect(plain.json()).toMatchObject({
        output: [{ type: 'message', content: [{ type: 'output_text' }] }],
      });
      const event = (type: string, fields: object) =>
        `event: ${type}\ndata: ${JSON.stringify({ type, ...fields })}\n\n`;
      const text = { type: 'message', id: 'm', role: 'assistant', content: [] };
      const frames = [
        event('response.created', { response: { ...response, status: 'in_progress', output: [] } }),
        event('response.output_item.added', { output_index: 0, item: output[0] }),
        event('response.function_call_arguments.delta', {
          output_index: 0,
          item_id: 'fc',
          delta: '{"all":1}',
        }),
        event('response.output_item.done', { output_index: 0, item: output[0] }),
        event('response.output_item.added', { output_index: 1, item: text }),
        event('response.completed', { response: { ...response, output: [...output, text] } }),
      ];
      provider.setControls({
        status: 200,
        body: frames.join(''),
        headers: { 'content-type': 'text/event-stream' },
      });
      const streamed = await post('/v1/responses', denying, { ...base, stream: true });
      // With planning, the gateway replaces the call of the denied tool with a text that names the tool.
      expect(streamed.text).not.toMatch(plan ? /function_call|\\"all/ : /erase|all/);
      expect(streamed.text).toContain('"output_index":0');
      expect(streamed.text).toContain('response.completed');
    },
  );
});
