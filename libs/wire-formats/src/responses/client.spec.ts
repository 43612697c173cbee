import { foldAnswer, type StreamEvent } from '@gateway/interchange';
import { formatNamed, providerFormatNamed } from '../formats.ts';
import { scanJson } from '../json/scan-json.ts';

const format = formatNamed('responses');
const { client, provider } = format;
const defaults = { id: 'request-1', model: 'm', createdAt: 1, includesUsage: true };

const place = (block: number) => ({ choice: 0, block });
const events: readonly StreamEvent[] = [
  { type: 'message-start', format: 'messages', id: 'msg_1', model: 'claude' },
  { type: 'thinking-start', ...place(0) },
  { type: 'thinking-delta', ...place(0), text: 'Hm.' },
  { type: 'thinking-end', ...place(0), signature: 'Eq==' },
  { type: 'text-start', ...place(1) },
  { type: 'text-delta', ...place(1), text: 'Rome' },
  { type: 'citation', ...place(1), citation: { url: 'https://example.com', title: 'Example' } },
  { type: 'tool-call-start', ...place(2), id: 'call_1', name: 'f', kind: 'function' },
  { type: 'text-end', ...place(1) },
  { type: 'tool-call-delta', ...place(2), argumentsText: '{"a":1}' },
  { type: 'tool-call-end', ...place(2) },
  { type: 'finish', choice: 0, reason: 'tool-calls', rawReason: 'tool_use' },
  { type: 'usage', usage: { inputTokens: 5, outputTokens: 2, cachedInputTokens: 3 } },
  { type: 'message-end' },
];

function readStream(given: readonly StreamEvent[]): Record<string, unknown>[] {
  const renderer = client.openStreamRenderer(defaults);
  const text = given.map((event) => Buffer.from(renderer.render(event)).toString()).join('');
  return [...text.matchAll(/^data: (.*)$/gm)].map(
    ([, data = '{}']) => JSON.parse(data) as Record<string, unknown>,
  );
}

describe('a rendered stream', () => {
  const frames = readStream(events);

  it('a rendered stream numbers its events, and every delta contains the id of its item', () => {
    expect(frames.map((frame) => frame['sequence_number'])).toEqual(frames.map((_, at) => at));
    const added = frames.filter(({ type }) => type === 'response.output_item.added');
    const ids = added.map(({ item }) => (item as { id: string }).id);
    expect(new Set(ids).size).toBe(3);
    for (const frame of frames)
      if ('item_id' in frame) expect(ids[Number(frame['output_index'])]).toBe(frame['item_id']);
  });

  it('a rendered stream ends with an event that contains the same response as without streaming', () => {
    const last = frames.at(-1)!;
    expect(last['type']).toBe('response.completed');
    expect(last['response']).toEqual(client.renderResponse(foldAnswer(events), defaults));
    expect(last['response']).toMatchObject({
      ...{ id: 'resp_msg_1', object: 'response', status: 'completed', model: 'claude', error: null },
      output: [
        { type: 'reasoning', summary: [{ type: 'summary_text', text: 'Hm.' }] },
        {
          ...{ type: 'message', role: 'assistant', status: 'completed' },
          content: [
            { type: 'output_text', text: 'Rome', annotations: [{ type: 'url_citation', title: 'Example' }] },
          ],
        },
        { type: 'function_call', call_id: 'call_1', name: 'f', arguments: '{"a":1}', status: 'completed' },
      ],
      usage: { input_tokens: 5, input_tokens_details: { cached_tokens: 3 }, total_tokens: 7 },
    });
  });

  it('a rendered stream is parsed back into the same response', () => {
    const bytes = Buffer.from(frames.map((frame) => `data: ${JSON.stringify(frame)}\n\n`).join(''));
    const parts = foldAnswer(provider.openStreamParser().push(bytes)).choices[0]!.parts;
    expect(parts).toMatchObject([
      { type: 'thinking', text: 'Hm.' },
      { type: 'text', text: 'Rome' },
      { type: 'tool-call', id: 'call_1', argumentsText: '{"a":1}' },
    ]);
  });

  it('a rendered stream has no end event after an error', () => {
    const broken = readStream([...events.slice(0, 3), { type: 'error', message: 'Broken.', code: 'x' }]);
    expect(broken.at(-1)).toMatchObject({ type: 'error', message: 'Broken.', code: 'x' });
  });

  it('has no end after an error, even if the provider ends its stream', () => {
    const broken = readStream([
      ...events.slice(0, 3),
      { type: 'error', message: 'Broken.' },
      ...events.slice(-3),
    ]);
    expect(broken.at(-1)).toMatchObject({ type: 'error', message: 'Broken.' });
  });
});

it.each([
  ['a bare item', { summary: [] }],
  [
    'a summary of several parts',
    {
      summary: [
        { type: 'summary_text', text: 'One' },
        { type: 'summary_text', text: 'Two' },
      ],
    },
  ],
  ['an open model', { summary: [], content: [{ type: 'reasoning_text', text: 'Hm.' }], status: 'completed' }],
  ['an encrypted item', { summary: [], encrypted_content: 'gAAAAA', status: null }],
])('a rendered response contains the reasoning item of its provider unmodified: %s', (_name, members) => {
  const reasoning = { id: 'rs_1', type: 'reasoning', ...members };
  const output = [reasoning, { type: 'function_call', id: 'fc_1', call_id: 'c', name: 'f', arguments: '{}' }];
  const frames = [
    ...output.map((item, output_index) => ({ type: 'response.output_item.done', output_index, item })),
    { type: 'response.completed', response: { id: 'resp_1', status: 'completed', output } },
  ];
  const bytes = Buffer.from(frames.map((frame) => `data: ${JSON.stringify(frame)}\n\n`).join(''));
  const parsed = provider.openStreamParser().push(bytes);
  const rendered = readStream(parsed);
  const done = rendered.find(({ type }) => type === 'response.output_item.done');
  expect(done).toMatchObject({ output_index: 0 });
  expect(done?.['item']).toEqual(reasoning);
  const last = rendered.at(-1)?.['response'] as { output: object[] };
  expect(last.output.map((item) => (item as { id: string }).id)).toEqual(['rs_1', 'fc_1']);
  expect(last.output[0]).toEqual(reasoning);
  expect((client.renderResponse(foldAnswer(parsed), defaults) as typeof last).output).toEqual(last.output);
});

it('the signature of a tool call is in a reasoning item in front of the call, and returns with the items', () => {
  const [id, name] = ['call_1', 'f'];
  const signed: readonly StreamEvent[] = [
    { type: 'tool-call-start', ...place(0), id, name, kind: 'function', signature: 'Gem+/==' },
    { type: 'tool-call-end', ...place(0) },
    { type: 'tool-call-start', ...place(1), id: 'call_2', name, kind: 'function' },
    { type: 'tool-call-end', ...place(1) },
    { type: 'message-end' },
  ];
  const { output } = client.renderResponse(foldAnswer(signed), defaults) as { output: object[] };
  expect(output).toMatchObject([
    { type: 'reasoning', summary: [], encrypted_content: expect.any(String) as string },
    { type: 'function_call', call_id: 'call_1' },
    { type: 'function_call', call_id: 'call_2' },
  ]);
  const frames = readStream(signed);
  expect((frames.at(-1)?.['response'] as { output: object[] }).output).toEqual(output);
  const done = frames.filter(({ type }) => type === 'response.output_item.done');
  expect(done.map(({ item, output_index }) => [output_index, item])).toEqual([...output.entries()]);

  const parse = (input: readonly object[]) =>
    client.parseRequest(scanJson(Buffer.from(JSON.stringify({ model: 'm', input })), { depthMax: 128 }))
      .messages;
  expect(parse(output)).toEqual([
    {
      role: 'assistant',
      parts: [
        expect.objectContaining({ id, signature: 'Gem+/==' }),
        expect.not.objectContaining({ signature: expect.anything() as string }),
      ],
    },
  ]);
  // A client may send the reasoning without the tool call.
  expect(parse([output[0]!, { role: 'user', content: 'Stop.' }])).toMatchObject([{ role: 'user' }]);
});

function outline(body: object) {
  return client.outlineRequest(
    scanJson(Buffer.from(JSON.stringify({ model: 'm', ...body })), { depthMax: 128 }),
  );
}

describe('the outline of a request', () => {
  it('the outline of a request contains a message for each item, with calls and results', () => {
    const input = [
      { role: 'developer', content: 'Be brief.' },
      { type: 'message', role: 'user', content: [{ type: 'input_text', text: 'Hi.' }] },
      { type: 'function_call', call_id: 'c', name: 'f', arguments: '{}' },
      { type: 'function_call_output', call_id: 'c', output: 'done' },
    ];
    const { messages, system } = outline({ input, instructions: 'Help.' });
    expect(messages.map((message) => [message.role, message.text()])).toEqual([
      ['system', 'Be brief.'],
      ['user', 'Hi.'],
      ['assistant', ''],
      ['tool', 'done'],
    ]);
    expect([messages[2]?.toolCalls, messages[3]?.toolResultIds]).toEqual([[{ id: 'c', name: 'f' }], ['c']]);
    expect(system?.text()).toBe('Help.');
  });

  it.each([
    [{}, 'input'],
    [{ input: 7 }, 'input'],
    [{ input: 'x', tools: {} }, 'tools'],
    [{ input: 'x', tools: [7] }, 'tools[0]'],
    [{ input: 'x', stream: 'yes' }, 'stream'],
  ])('an invalid request is rejected with the name of the invalid field: %j', (body, param) => {
    expect(() => outline(body)).toThrow(expect.objectContaining({ param }));
  });
});

it('parses any number of consecutive calls in linear time', () => {
  const input = Array.from({ length: 50_000 }, (_, at) => ({
    ...{ type: 'function_call', call_id: `c${at}`, name: 'f', arguments: '{}' },
  }));
  const tape = scanJson(Buffer.from(JSON.stringify({ model: 'm', input })), { depthMax: 128 });
  const before = process.threadCpuUsage();
  const { messages } = client.parseRequest(tape);
  const { user, system } = process.threadCpuUsage(before);
  expect(messages.map(({ parts }) => parts.length)).toEqual([input.length]);
  expect((user + system) / 1_000).toBeLessThan(6_000);
});

it('renders the choice of thousands of tools in linear time, each with its kind', () => {
  const names = Array.from({ length: 8_000 }, (_, at) => `tool-${at}`);
  const tools = names.map((name, at) => ({ type: at % 2 === 0 ? 'function' : 'custom', name }));
  const body = { model: 'm', input: 'x', tools, tool_choice: { type: 'allowed_tools', mode: 'auto', tools } };
  const tape = scanJson(Buffer.from(JSON.stringify(body)), { depthMax: 128 });
  const request = client.parseRequest(tape);
  for (const name of ['responses', 'chat-completions'] as const) {
    let compared = 0;
    const counted = request.tools.map((tool) =>
      Object.defineProperty({ ...tool }, 'kind', {
        get: () => ((compared += 1), tool.kind),
        enumerable: true,
      }),
    );
    const rendered = providerFormatNamed(name).provider.renderRequest(
      { ...request, tools: counted },
      { model: 'm' },
    );
    const chosen = JSON.stringify(rendered.body.tool_choice);
    expect(chosen.match(/"type":"custom"/g)).toHaveLength(names.length / 2);
    expect(compared).toBeLessThan(20 * tools.length);
  }
});

it('skips stream events that are named like a member of every object', () => {
  const parser = provider.openStreamParser();
  expect(parser.push(Buffer.from('data: {"type":"toString"}\n\ndata: {"type":"__proto__"}\n\n'))).toEqual([]);
});

it('an edited request differs from the client’s request only in the model and the tools', () => {
  const text =
    '{ "model":"openai/m","input":"x", "tools":[{"type":"function","name":"f","x-svc-examples":["a"]}],"n":1e2 }';
  const bytes = Buffer.from(text);
  const tape = scanJson(bytes, { depthMax: 128 });
  const edited = format.editRequest({ bytes, tape, outline: client.outlineRequest(tape), model: 'm' });
  expect(Buffer.from(edited.bytes).toString()).toBe(
    '{ "model":"m","input":"x", "tools":[{"type":"function","name":"f"}],"n":1e2 }',
  );
});
