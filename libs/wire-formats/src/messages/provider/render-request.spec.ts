import type { ChatMessage, ChatPart, JsonObject } from '@gateway/interchange';
import { chatCompletions } from '../../chat-completions/chat-completions.ts';
import { messages } from '../messages.ts';
import { fromChat, parse, say } from './render-request.fixture.ts';

describe('a request from another format', () => {
  it('moves system messages to the front and reports each moved message as a loss', () => {
    const { body, fields } = fromChat({
      messages: [
        { role: 'system', content: 'a' },
        { role: 'developer', content: 'b' },
        { role: 'user', content: 'x' },
        { role: 'system', content: 'c' },
      ],
    });
    const blocks = ['a', 'b', 'c'].map((text) => ({ type: 'text', text }));
    expect(body).toMatchObject({ system: blocks, messages: [{ role: 'user', content: 'x' }] });
    expect(fields).toEqual(['messages[3].role']);
    const alone = fromChat({ messages: [{ role: 'system', content: 'a' }] });
    expect([alone.body.system, alone.body.messages]).toEqual([undefined, [{ role: 'user', content: 'a' }]]);
  });

  it('keeps the place of system messages for a model that accepts them after user messages', () => {
    const conversation = [
      { role: 'system', content: 'a' },
      { role: 'user', content: 'x' },
      { role: 'system', content: 'b' },
      { role: 'assistant', content: 'y' },
      { role: 'system', content: 'c' },
      { role: 'user', content: 'z' },
    ];
    const renderFirst = (count: number) =>
      fromChat({ messages: conversation.slice(0, count) }, { takesSystemTurns: true });
    const { body, fields } = renderFirst(6);
    expect(body).toMatchObject({
      system: 'a',
      messages: [
        { role: 'user', content: 'x' },
        { role: 'system', content: 'b' },
        { role: 'assistant', content: 'y' },
        { role: 'user', content: 'z' },
        { role: 'system', content: 'c' },
      ],
    });
    expect(fields).toEqual([]);
    // An earlier request has the same messages, so the prompt's prefix does not change.
    const earlier = renderFirst(3).body;
    expect(earlier.system).toEqual(body.system);
    expect(earlier.messages).toEqual((body.messages as unknown[]).slice(0, 2));
  });

  it("puts the results for all of a turn's calls into one message, together with the user's next text", () => {
    const { body, fields } = fromChat({
      messages: [
        { role: 'user', content: 'go' },
        {
          role: 'assistant',
          content: '',
          tool_calls: [
            {
              id: 'functions.a:0',
              type: 'function',
              function: { name: 'a', arguments: '{"n":12345678901234567890}' },
            },
            { id: 'b', type: 'function', function: { name: 'b', arguments: '' } },
          ],
        },
        { role: 'tool', tool_call_id: 'functions.a:0', content: 'ra' },
        { role: 'tool', tool_call_id: 'b', content: [{ type: 'text', text: 'rb' }] },
        { role: 'user', content: 'and?' },
      ],
      tools: [{ type: 'function', function: { name: 'a' } }],
    });
    const [, calls, results] = body.messages as { role: string; content: JsonObject[] }[];
    const id = calls!.content[0]!.id as string;
    expect(id).toMatch(/^functions_a_0_\w+$/);
    expect(calls!.content.map(({ type }) => type)).toEqual(['tool_use', 'tool_use']);
    expect(results).toEqual({
      role: 'user',
      content: [
        { type: 'tool_result', tool_use_id: id, content: 'ra' },
        { type: 'tool_result', tool_use_id: 'b', content: 'rb' },
        { type: 'text', text: 'and?' },
      ],
    });
    expect(body.tools).toEqual([{ name: 'a', input_schema: { type: 'object' } }]);
    expect(fields).toEqual([]);
  });

  it('keeps every digit of the arguments', () => {
    const call = { type: 'function', function: { name: 'a', arguments: '{"n":12345678901234567890}' } };
    const { body } = messages.provider.renderRequest(
      parse(chatCompletions, {
        model: 'm',
        messages: [{ role: 'assistant', tool_calls: [{ id: 'a', ...call }] }],
      }),
      { model: 'm' },
    );
    expect(JSON.stringify(body)).toContain('"input":{"n":12345678901234567890}');
  });

  it('always sets an output limit: the limit from the client or of the model, or a limit that every model accepts', () => {
    expect(fromChat({ max_tokens: 7 }, { maxOutputTokensDefault: 9 }).body.max_tokens).toBe(7);
    expect(fromChat({}, { maxOutputTokensDefault: 9 }).body.max_tokens).toBe(9);
    expect(fromChat({}).body.max_tokens).toBe(4096);
  });

  it.each([
    ['auto', undefined, { type: 'auto' }],
    ['required', false, { type: 'any', disable_parallel_tool_use: true }],
    ['none', undefined, { type: 'none' }],
    [
      { type: 'function', function: { name: 'a' } },
      true,
      { type: 'tool', name: 'a', disable_parallel_tool_use: false },
    ],
    [undefined, false, { type: 'auto', disable_parallel_tool_use: true }],
    [undefined, undefined, undefined],
  ])('renders the tool choice %j with parallel calls %j', (choice, parallel, expected) => {
    const tools = [{ type: 'function', function: { name: 'a', parameters: { type: 'object' } } }];
    const { body, fields } = fromChat({ tools, tool_choice: choice, parallel_tool_calls: parallel });
    expect(body.tool_choice).toEqual(expected);
    expect(fields).toEqual([]);
  });

  it('adds a schema to a tool if the parameters are missing or null', () => {
    for (const body of [{ name: 'f' }, { name: 'f', parameters: null }]) {
      expect(fromChat({ tools: [{ type: 'function', function: body }] }).body.tools).toEqual([
        { name: 'f', input_schema: { type: 'object' } },
      ]);
    }
  });

  it('sends only the allowed tools', () => {
    const tools = ['a', 'b'].map((name) => ({ type: 'function', function: { name } }));
    const allowed = { mode: 'auto', tools: [{ type: 'function', function: { name: 'b' } }] };
    const { body } = fromChat({ tools, tool_choice: { type: 'allowed_tools', allowed_tools: allowed } });
    expect(body.tools).toEqual([{ name: 'b', input_schema: { type: 'object' } }]);
    expect(body.tool_choice).toEqual({ type: 'auto' });
  });

  it('renders settings as fields of the messages format', () => {
    const schema = { type: 'object', additionalProperties: false };
    const { body, fields } = fromChat({
      stop: ['a'],
      user: 'u',
      stream: true,
      reasoning_effort: 'minimal',
      response_format: { type: 'json_schema', json_schema: { name: 'n', schema } },
    });
    expect(body).toMatchObject({
      stop_sequences: ['a'],
      metadata: { user_id: 'u' },
      stream: true,
      output_config: { effort: 'low', format: { type: 'json_schema', schema } },
    });
    expect(fields).toEqual([]);
    expect(fromChat({ reasoning_effort: 'none' }).body.thinking).toEqual({ type: 'disabled' });
  });

  it.each([
    [{ n: 2 }, 'n'],
    [{ seed: 1 }, 'seed'],
    [{ frequency_penalty: 1 }, 'frequency_penalty'],
    [{ presence_penalty: 1 }, 'presence_penalty'],
    [{ logprobs: true }, 'logprobs'],
    [{ stop: ['\n'] }, 'stop'],
    [{ temperature: 1.5 }, 'temperature'],
    [{ response_format: { type: 'json_object' } }, 'response_format'],
    [{ tools: [{ type: 'custom', custom: { name: 'c' } }] }, 'tools[0]'],
    [{ reasoning_effort: 'furious' }, 'reasoning_effort'],
  ])('reports the loss of %j', (body, field) => {
    expect(fromChat(body).fields).toEqual([field]);
  });

  it('reports no loss for default values', () => {
    expect(fromChat({ n: 1, frequency_penalty: 0, presence_penalty: 0 }).fields).toEqual([]);
  });

  it('reports a loss for an effort that the model rejects', () => {
    const { body, fields } = fromChat({ reasoning_effort: 'high' }, { takesReasoningEffort: false });
    expect([body.output_config, fields]).toEqual([undefined, ['reasoning_effort']]);
  });
});

describe("a message's content", () => {
  const user = (...parts: ChatPart[]): ChatMessage => ({ role: 'user', parts });
  const data = Buffer.from('plain').toString('base64');

  it('renders media by source type, and text documents as text', () => {
    const { body, fields } = say(
      user(
        { type: 'image', source: { kind: 'url', url: 'https://i.test' } },
        { type: 'image', source: { kind: 'base64', mediaType: undefined, data: '/9j/4AAQ' } },
        { type: 'document', source: { kind: 'base64', mediaType: 'text/markdown', data }, name: 'n' },
        { type: 'document', source: { kind: 'base64', mediaType: 'application/pdf', data } },
      ),
    );
    expect((body.messages as { content: unknown }[])[0]!.content).toEqual([
      { type: 'image', source: { type: 'url', url: 'https://i.test' } },
      { type: 'image', source: { type: 'base64', media_type: 'image/jpeg', data: '/9j/4AAQ' } },
      { type: 'document', source: { type: 'text', media_type: 'text/plain', data: 'plain' }, title: 'n' },
      { type: 'document', source: { type: 'base64', media_type: 'application/pdf', data } },
    ]);
    expect(fields).toEqual([]);
  });

  it.each([
    [{ type: 'audio', source: { kind: 'base64', mediaType: 'audio/wav', data } }, 'audio'],
    [{ type: 'image', source: { kind: 'file', id: 'file-1' } }, 'image'],
    [{ type: 'opaque', extensions: { gemini: { part: {} } } }, 'opaque'],
    [{ type: 'thinking', text: 'unsigned' }, 'thinking'],
  ] as const)('drops %j and reports a loss', (part, name) => {
    const { body, fields } = say(user({ type: 'text', text: 'a' }, part));
    expect(fields).toEqual([`messages[0].${name}`]);
    expect(body.messages).toEqual([{ role: 'user', content: 'a' }]);
  });

  it('wraps arguments that are not an object and reports a loss', () => {
    const call = { type: 'tool-call', id: 'a', name: 'a', kind: 'function', argumentsText: '{"cut' } as const;
    const { body, fields } = say({ role: 'assistant', parts: [call] });
    expect(JSON.stringify(body.messages)).toContain('"input":{"arguments":"{\\"cut"}');
    expect(fields).toEqual(['messages[0].tool-call']);
  });

  it('keeps cache markers in place', () => {
    const marked = { type: 'text', text: 'a', cacheMarker: { ttl: '1h' } } as const;
    expect(say(user(marked)).body.messages).toEqual([
      {
        role: 'user',
        content: [{ type: 'text', text: 'a', cache_control: { type: 'ephemeral', ttl: '1h' } }],
      },
    ]);
  });
});

describe('a request in the same format', () => {
  const again = (body: string): string =>
    JSON.stringify(messages.provider.renderRequest(parse(messages, body), { model: 'm' }).body);

  it('renders thinking unchanged: text, signature and redacted data', () => {
    const blocks =
      '{"type":"thinking","thinking":" a\\n","signature":"c2ln"},{"type":"redacted_thinking","data":"eHg="}';
    const body = `{"model":"m","max_tokens":1,"messages":[{"role":"assistant","content":[${blocks}]}]}`;
    const { content } = (JSON.parse(again(body)) as { messages: { content: unknown }[] }).messages[0]!;
    expect(content).toEqual(JSON.parse(`[${blocks}]`));
  });

  it('keeps every digit of inputs, schemas and unknown settings', () => {
    const long = '12345678901234567890';
    const body =
      `{"model":"m","max_tokens":1,"of_the_future":${long},"tools":[{"name":"a","input_schema":{"maximum":${long}}}],` +
      `"messages":[{"role":"assistant","content":[{"type":"tool_use","id":"t","name":"a","input":{"n":${long}}}]}]}`;
    expect(again(body).match(new RegExp(long, 'g'))).toHaveLength(3);
  });
});
