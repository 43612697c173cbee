import type { ChatRequest, StreamEvent } from '@gateway/interchange';
import { findCustomTools, restoreCustomCalls, wrapCustomTools } from './custom-tools.ts';
import type { ProviderHalf } from './format.ts';

const request: ChatRequest = {
  ...{ model: 'm', toolChoice: { mode: 'auto' }, settings: {}, stream: false, streamsUsage: false },
  tools: [
    { kind: 'function', name: 'f' },
    { kind: 'custom', name: 'note', description: 'Keeps a text.' },
    { kind: 'custom', name: 'patch', grammar: { syntax: 'lark', definition: 'start: "a"' } },
  ],
  messages: [
    {
      role: 'assistant',
      parts: [
        { type: 'tool-call', id: 'c1', name: 'f', kind: 'function', argumentsText: '{}' },
        { type: 'tool-call', id: 'c2', name: 'patch', kind: 'custom', argumentsText: 'a "b"' },
      ],
    },
  ],
};

it('custom tools become functions with one text parameter, and a grammar becomes a description', () => {
  const { request: wrapped, losses } = wrapCustomTools(request);
  const parameter = (description: unknown) => ({
    type: 'object',
    properties: { input: { type: 'string', description } },
    required: ['input'],
    additionalProperties: false,
  });
  expect(wrapped.tools).toEqual([
    { kind: 'function', name: 'f' },
    {
      ...{ kind: 'function', name: 'note', description: 'Keeps a text.' },
      parameters: parameter(expect.any(String)),
    },
    {
      ...{ kind: 'function', name: 'patch' },
      parameters: parameter(expect.stringContaining('lark grammar:\nstart: "a"')),
    },
  ]);
  expect(losses).toEqual([{ field: 'tools[2].grammar', reason: expect.any(String) as string }]);
  expect(wrapped.messages[0]?.parts).toEqual([
    request.messages[0]?.parts[0],
    {
      type: 'tool-call',
      ...{ id: 'c2', name: 'patch', kind: 'function', argumentsText: '{"input":"a \\"b\\""}' },
    },
  ]);
});

const start = (block: number, name: string, kind: 'function' | 'custom' = 'function'): StreamEvent => ({
  ...{ type: 'tool-call-start', choice: 0, block, id: `c${block}`, name, kind },
});
const delta = (block: number, argumentsText: string): StreamEvent => ({
  ...{ type: 'tool-call-delta', choice: 0, block, argumentsText },
});
const end = (block: number): StreamEvent => ({ type: 'tool-call-end', choice: 0, block });

/** Restores the custom tool calls in the given chunks of a stream. */
function restore(...pieces: StreamEvent[][]): StreamEvent[] {
  const left = [...pieces];
  const next = () => left.shift() ?? [];
  const parser = { push: next, end: next };
  const provider = { parseResponse: () => pieces.flat(), openStreamParser: () => parser };
  const restored = restoreCustomCalls(provider as unknown as ProviderHalf, () => findCustomTools(request));
  const stream = restored.openStreamParser();
  const events = pieces.flatMap(() => stream.push(Buffer.alloc(0)));
  expect(restored.parseResponse(Buffer.alloc(0))).toEqual(events);
  return events;
}

it('a call of such a function becomes a call of the custom tool, although calls alternate in the stream', () => {
  expect(
    restore(
      [start(0, 'patch'), delta(0, '{"inp'), start(1, 'f'), delta(1, '{"a"')],
      [delta(0, 'ut":"a \\"b\\""}'), end(0), delta(1, ':1}'), end(1)],
      [start(2, 'note', 'custom'), delta(2, '{"input":"x"}'), end(2)],
    ),
  ).toEqual([
    ...[start(0, 'patch', 'custom'), start(1, 'f'), delta(1, '{"a"')],
    ...[delta(0, 'a "b"'), end(0), delta(1, ':1}'), end(1)],
    ...[start(2, 'note', 'custom'), delta(2, '{"input":"x"}'), end(2)],
  ]);
});

it.each([
  ['', ''],
  ['a "b"', 'a "b"'],
  ['{"text":"a"}', '{"text":"a"}'],
  ['{"input":1}', '{"input":1}'],
])('other arguments than the text parameter become the input unchanged: %j', (given, input) => {
  expect(restore([start(0, 'note'), delta(0, given), end(0)])).toContainEqual(delta(0, input));
});

it('a request without custom tools has no calls to restore', () => {
  expect(findCustomTools({ ...request, tools: [] })).toBeNull();
});

it('the arguments of unfinished calls are limited, whatever comes between their pieces', () => {
  const piece = 'a'.repeat(1024 * 1024);
  const pieces = Array.from({ length: 40 }, (): StreamEvent[] => [
    delta(0, piece),
    { type: 'text-delta', choice: 0, block: 1, text: 'a' },
  ]);
  expect(() => restore([start(0, 'note')], ...pieces)).toThrow('the response of the provider');
});
