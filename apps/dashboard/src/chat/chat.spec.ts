import { addInput, pendingCalls, type Turn } from './conversation.ts';
import { parseTools } from './parse-tools.ts';
import { addFrame, noAnswer, readPlainAnswer } from './parse-response.ts';
import { readEventStream, readServerSentEvents, type Frame } from './read-stream.ts';
import { renderRequest } from './render-request.ts';

const schema = { type: 'object', properties: { city: { type: 'string' } } };
const tool = { name: 'get_weather', description: 'Weather of a city', schema };
const call = { id: 'c1', name: 'get_weather', argumentsJson: '{"city":"Oslo"}' };
const turns: Turn[] = [
  { role: 'user', text: 'Weather?' },
  { role: 'assistant', text: '', calls: [call] },
  { role: 'tool', results: [{ call, text: '4 °C' }] },
];

describe('pasted tools', () => {
  it.each([
    [
      [
        {
          type: 'function',
          function: { name: tool.name, description: tool.description, parameters: schema },
        },
      ],
    ],
    [{ tools: [{ name: tool.name, description: tool.description, input_schema: schema }] }],
    [
      {
        toolConfig: { tools: [{ toolSpec: { ...tool, schema: undefined, inputSchema: { json: schema } } }] },
      },
    ],
    [{ tools: [{ name: tool.name, description: tool.description, inputSchema: schema }] }],
  ])('are parsed in every format: %j', (pasted) => {
    expect(parseTools(JSON.stringify(pasted))).toEqual([tool]);
  });

  it('may be empty, and error messages describe the problem', () => {
    expect(parseTools('  ')).toEqual([]);
    expect(() => parseTools('[{"na')).toThrow('not JSON');
    expect(() => parseTools('"x"')).toThrow('array');
    expect(() => parseTools('[{}]')).toThrow('Tool 1 has no name');
  });
});

describe('a conversation', () => {
  it('is rendered in each format with its tool calls and results', () => {
    const request = { model: 'a/b', turns, tools: [tool], stream: false };
    const completions = renderRequest('chat-completions', request);
    expect(completions.body['messages']).toEqual([
      { role: 'user', content: 'Weather?' },
      {
        role: 'assistant',
        content: null,
        tool_calls: [
          { id: 'c1', type: 'function', function: { name: 'get_weather', arguments: '{"city":"Oslo"}' } },
        ],
      },
      { role: 'tool', tool_call_id: 'c1', content: '4 °C' },
    ]);
    const messages = renderRequest('messages', request);
    expect(JSON.stringify(messages.body)).toContain('"tool_use_id":"c1"');
    const converse = renderRequest('converse', { ...request, stream: true });
    expect(converse.path).toBe('/model/a%2Fb/converse-stream');
    expect(JSON.stringify(converse.body)).toContain('"toolUseId":"c1"');
    expect(converse.body).not.toHaveProperty('stream');
  });

  it('sends the results of pending tool calls before the next message', () => {
    expect(pendingCalls(turns.slice(0, 2))).toEqual([call]);
    expect(addInput(turns.slice(0, 2), '4 °C')).toEqual(turns);
    expect(addInput(turns, 'Thanks').at(-1)).toEqual({ role: 'user', text: 'Thanks' });
  });
});

const encode = (text: string) => new TextEncoder().encode(text);
const streamOf = (bytes: Uint8Array, chunkBytes: number) =>
  new ReadableStream<Uint8Array>({
    start(controller) {
      for (let at = 0; at < bytes.length; at += chunkBytes)
        controller.enqueue(bytes.slice(at, at + chunkBytes));
      controller.close();
    },
  });

async function collect(frames: AsyncIterable<Frame>): Promise<Frame[]> {
  const all: Frame[] = [];
  for await (const frame of frames) all.push(frame);
  return all;
}

/** A message in an event stream, with one string header. */
function renderMessage(event: string, data: unknown): Uint8Array {
  const [name, value, payload] = [encode(':event-type'), encode(event), encode(JSON.stringify(data))];
  const headers = [name.length, ...name, 7, value.length >> 8, value.length & 255, ...value];
  const bytes = new Uint8Array(16 + headers.length + payload.length);
  new DataView(bytes.buffer).setUint32(0, bytes.length);
  new DataView(bytes.buffer).setUint32(4, headers.length);
  bytes.set(headers, 12);
  bytes.set(payload, 12 + headers.length);
  return bytes;
}

describe('a streamed response', () => {
  it.each([1, 7, 10_000])('is complete as server-sent events in chunks of %d bytes', async (chunkBytes) => {
    const chunks = [{ content: 'Grüß' }, { content: ' Gott' }];
    const body = chunks.map((delta) => `data: ${JSON.stringify({ choices: [{ delta }] })}\n\n`).join('');
    const frames = await collect(
      readServerSentEvents(streamOf(encode(`${body}data: [DONE]\n\n`), chunkBytes)),
    );
    const answer = frames.reduce((sum, frame) => addFrame('chat-completions', sum, frame), noAnswer);
    expect(answer.text).toBe('Grüß Gott');
  });

  it.each([3, 10_000])('is complete as binary frames in chunks of %d bytes', async (chunkBytes) => {
    const parts = [
      renderMessage('contentBlockDelta', { delta: { text: 'Hé' } }),
      renderMessage('contentBlockStart', { start: { toolUse: { toolUseId: 'c1', name: 'get_weather' } } }),
      renderMessage('contentBlockDelta', { delta: { toolUse: { input: '{"city":' } } }),
      renderMessage('contentBlockDelta', { delta: { toolUse: { input: '"Oslo"}' } } }),
      renderMessage('messageStop', { stopReason: 'tool_use' }),
    ];
    const bytes = Uint8Array.from(parts.flatMap((part) => [...part]));
    const frames = await collect(readEventStream(streamOf(bytes, chunkBytes)));
    const answer = frames.reduce((sum, frame) => addFrame('converse', sum, frame), noAnswer);
    expect(answer).toEqual({ text: 'Hé', calls: [call], stopReason: 'tool_use', error: null });
  });

  it('lists tool calls in order, regardless of the provider’s indexes', () => {
    const chunk = (index: number, id: string | undefined, json: string) => {
      const part = { index, id, function: { name: id && `tool_${id}`, arguments: json } };
      return { event: 'message', data: { choices: [{ delta: { tool_calls: [part] } }] } };
    };
    const frames = [chunk(3, 'a', '{'), chunk(4e9, 'b', '[]'), chunk(3, undefined, '}'), chunk(-1, 'c', '1')];
    const answer = frames.reduce((sum, frame) => addFrame('chat-completions', sum, frame), noAnswer);
    expect(answer.calls).toMatchObject([
      { id: 'a', name: 'tool_a', argumentsJson: '{}' },
      { id: 'b', name: 'tool_b', argumentsJson: '[]' },
      { id: 'c', name: 'tool_c', argumentsJson: '1' },
    ]);
  });

  it('reports an error event', () => {
    const data = { type: 'error', error: { message: 'overloaded' } };
    expect(addFrame('messages', noAnswer, { event: 'error', data }).error).toBe('overloaded');
  });
});

it('a non-streaming response is parsed in each format, even if fields are missing', () => {
  const said = { text: 'Hi', calls: [call], error: null };
  const toolCalls = [{ id: 'c1', function: { name: 'get_weather', arguments: call.argumentsJson } }];
  const choices = [{ message: { content: 'Hi', tool_calls: toolCalls }, finish_reason: 'tool_calls' }];
  expect(readPlainAnswer('chat-completions', { choices })).toEqual({ ...said, stopReason: 'tool_calls' });
  const content = [
    { type: 'text', text: 'Hi' },
    { type: 'tool_use', id: 'c1', name: 'get_weather', input: { city: 'Oslo' } },
  ];
  expect(readPlainAnswer('messages', { content })).toEqual({ ...said, stopReason: null });
  const blocks = [
    { text: 'Hi' },
    { toolUse: { toolUseId: 'c1', name: 'get_weather', input: { city: 'Oslo' } } },
  ];
  expect(readPlainAnswer('converse', { output: { message: { content: blocks } } })).toEqual({
    ...said,
    stopReason: null,
  });
  for (const format of ['chat-completions', 'messages', 'converse'] as const)
    expect(readPlainAnswer(format, null)).toEqual(noAnswer);
});
