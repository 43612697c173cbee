import { foldAnswer, type ChatRequest, type JsonObject, type StreamEvent } from '@gateway/interchange';
import { formatNamed, providerFormatNamed } from '../formats.ts';
import { scanJson } from '../json/scan-json.ts';

const { provider } = providerFormatNamed('responses');

function renderChat(body: object): { body: JsonObject; losses: string[] } {
  const bytes = Buffer.from(JSON.stringify({ model: 'm', messages: [], ...body }));
  const request: ChatRequest = formatNamed('chat-completions').client.parseRequest(
    scanJson(bytes, { depthMax: 128 }),
  );
  const rendered = provider.renderRequest(request, { model: 'gpt' });
  return { body: rendered.body, losses: rendered.losses.map(({ field }) => field) };
}

describe('a chat-completions request', () => {
  it('a chat-completions request becomes items, and system messages keep their positions', () => {
    const call = (id: string, custom?: object) => ({
      id,
      ...(custom === undefined
        ? { type: 'function', function: { name: 'f', arguments: '{"a":1}' } }
        : { type: 'custom', custom }),
    });
    const messages = [
      { role: 'system', content: 'Be brief.' },
      { role: 'user', content: [{ type: 'text', text: 'Look.' }, image] },
      {
        role: 'assistant',
        content: 'One moment.',
        tool_calls: [call('c1'), call('c2', { name: 'g', input: 'x' })],
      },
      { role: 'tool', tool_call_id: 'c1', content: 'one' },
      { role: 'tool', tool_call_id: 'c2', content: [{ type: 'text', text: 'two' }] },
    ];
    const { body, losses } = renderChat({ messages });
    expect(losses).toEqual([]);
    expect(body.input).toEqual([
      { role: 'developer', content: 'Be brief.' },
      {
        role: 'user',
        content: [
          { type: 'input_text', text: 'Look.' },
          { type: 'input_image', image_url: 'https://example.com/a.png' },
        ],
      },
      { role: 'assistant', content: 'One moment.' },
      { type: 'function_call', call_id: 'c1', name: 'f', arguments: '{"a":1}' },
      { type: 'custom_tool_call', call_id: 'c2', name: 'g', input: 'x' },
      { type: 'function_call_output', call_id: 'c1', output: 'one' },
      { type: 'custom_tool_call_output', call_id: 'c2', output: 'two' },
    ]);
  });

  it('a chat-completions request is sent unstored, with encrypted reasoning and non-strict functions', () => {
    const tool = { type: 'function', function: { name: 'f', parameters: { type: 'object' } } };
    expect(renderChat({ tools: [tool] }).body).toEqual({
      ...{ model: 'gpt', store: false, include: ['reasoning.encrypted_content'], input: [] },
      tools: [{ type: 'function', name: 'f', parameters: { type: 'object' }, strict: false }],
    });
    expect(renderChat({ store: true }).body).toMatchObject({ store: true });
  });

  it('settings that the responses format lacks are losses, unless they have the default value', () => {
    const lost = { stop: 'x', seed: 0, n: 2, presence_penalty: 1, logit_bias: { 1: 1 }, max_tokens: 5 };
    expect(renderChat(lost)).toMatchObject({
      body: { max_output_tokens: 16 },
      losses: expect.arrayContaining([
        'stop',
        'seed',
        'n',
        'presence_penalty',
        'logit_bias',
        'max_tokens',
      ]) as unknown,
    });
    expect(renderChat({ stop: [], n: 1, presence_penalty: 0, max_tokens: 16 }).losses).toEqual([]);
  });

  it('call ids have at most 64 characters, and a result has the same id as its call', () => {
    const id = 'x'.repeat(100);
    const toolCall = { id, type: 'function', function: { name: 'f', arguments: '' } };
    const messages = [
      { role: 'assistant', tool_calls: [toolCall] },
      { role: 'tool', tool_call_id: id, content: '' },
    ];
    const [call, result] = renderChat({ messages }).body.input as { call_id: string }[];
    expect(call?.call_id).toHaveLength(64);
    expect(result?.call_id).toBe(call?.call_id);
  });
});

const image = { type: 'image_url', image_url: { url: 'https://example.com/a.png' } };

function parse(...events: readonly object[]): StreamEvent[] {
  const parser = provider.openStreamParser();
  const text = events.map((event) => `data: ${JSON.stringify(event)}\n\n`).join('');
  return [...parser.push(Buffer.from(text)), ...parser.end()];
}

const done = (item: object, output_index = 0) => ({ type: 'response.output_item.done', output_index, item });
const completed = { type: 'response.completed', response: { id: 'r', status: 'completed', output: [] } };

describe('reasoning', () => {
  const item = {
    type: 'reasoning',
    id: 'rs_1',
    encrypted_content: 'gAAAAA',
    summary: [{ text: 'One' }, { text: 'Two' }],
  };

  it('encrypted reasoning becomes a signature, and the signature becomes an item without an id', () => {
    const [part] = foldAnswer(parse(done(item), completed)).choices[0]!.parts;
    expect(part).toMatchObject({ type: 'thinking', text: 'One\n\nTwo' });
    const { text, signature } = part as { text: string; signature: string };
    const content = [{ type: 'thinking', thinking: text, signature }];
    expect(renderMessages(content)).toEqual([
      {
        type: 'reasoning',
        summary: [{ type: 'summary_text', text: 'One\n\nTwo' }],
        encrypted_content: 'gAAAAA',
      },
    ]);
  });

  it('reasoning from another provider is never sent as encrypted reasoning', () => {
    expect(renderMessages([{ type: 'thinking', thinking: 'Hm.', signature: 'EqQB' }])).toEqual([]);
  });

  it('reasoning without a summary and without encrypted content is opaque, and no request repeats it', () => {
    const created = { type: 'response.created', response: { id: 'r' } };
    const events = parse(created, done({ type: 'reasoning', id: 'rs_1', summary: [] }), completed);
    expect(events.map(({ type }) => type)).toEqual(['message-start', 'part', 'finish', 'message-end']);
    const { parts } = foldAnswer(events).choices[0]!;
    const request = { ...emptyRequest(), messages: [{ role: 'assistant', parts } as const] };
    expect(provider.renderRequest(request, { model: 'gpt' }).body.input).toEqual([]);
  });
});

function emptyRequest() {
  const tape = scanJson(Buffer.from('{"model":"m","input":[]}'), { depthMax: 128 });
  return formatNamed('responses').client.parseRequest(tape);
}

function renderMessages(content: readonly object[]): unknown {
  const body = { model: 'm', max_tokens: 20, messages: [{ role: 'assistant', content }] };
  const tape = scanJson(Buffer.from(JSON.stringify(body)), { depthMax: 128 });
  const request = formatNamed('messages').client.parseRequest(tape);
  return provider.renderRequest(request, { model: 'gpt' }).body.input;
}

describe('a stream', () => {
  it('a stream without deltas is read from its complete items', () => {
    const call = { type: 'function_call', call_id: 'c', name: 'f', arguments: '' };
    const text = {
      type: 'message',
      content: [
        { type: 'output_text', text: 'Hi' },
        { type: 'refusal', refusal: 'No' },
      ],
    };
    const { parts, finishReason } = foldAnswer(parse(done(text), done(call, 1), completed)).choices[0]!;
    expect(finishReason).toBe('tool-calls');
    expect(parts).toMatchObject([
      { type: 'text', text: 'Hi' },
      { type: 'refusal', text: 'No' },
      { type: 'tool-call', id: 'c', argumentsText: '{}' },
    ]);
  });

  it.each([
    [{ type: 'error', code: 'server_error', message: 'Broken.', param: null }],
    [{ type: 'error', error: { type: 'server_error', code: 'server_error', message: 'Broken.' } }],
    [
      {
        type: 'response.failed',
        response: { status: 'failed', error: { code: 'server_error', message: 'Broken.' } },
      },
    ],
  ])('a stream with an error has no end event: %j', (event) => {
    const events = parse(event, completed);
    expect(events.at(-1)).toMatchObject({ type: 'error', message: 'Broken.', code: 'server_error' });
  });

  it('a stream that stops before its last event is truncated', () => {
    expect(parse(done({ type: 'message', content: [] })).some(({ type }) => type === 'message-end')).toBe(
      false,
    );
  });
});
