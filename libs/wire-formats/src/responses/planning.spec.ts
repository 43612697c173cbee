/** Tests the parts of the responses format that planning uses. */
import type { ChatTool } from '@gateway/interchange';
import { formatNamed } from '../formats.ts';
import { scanJson } from '../json/scan-json.ts';
import { findContinued, findStateful } from './client/outline-request.ts';

const format = formatNamed('responses');
const { client } = format;

function read(body: object) {
  const bytes = Buffer.from(JSON.stringify({ model: 'm', ...body }));
  const tape = scanJson(bytes, { depthMax: 128 });
  return { bytes, tape, outline: client.outlineRequest(tape) };
}

const call = { type: 'function_call', call_id: 'c1', name: 'f', arguments: '{"a":1}' };
const result = { type: 'function_call_output', call_id: 'c1', output: 'a long result' };
const hosted = [
  { type: 'reasoning', id: 'rs_1', summary: [], content: [{ type: 'reasoning_text', text: 'Secret.' }] },
  { type: 'compaction', encrypted_content: 'gAAA' },
  { type: 'web_search_call', id: 'ws_1', status: 'completed', action: { type: 'search', query: 'x' } },
  { type: 'mcp_call', id: 'mcp_1', name: 'f', arguments: '{}', output: 'an mcp result' },
  { type: 'shell_call_output', call_id: 's', output: [{ stdout: 'x', stderr: '' }] },
  { type: 'item_reference', id: 'msg_1' },
];

const recoveryTool: ChatTool = { kind: 'function', name: 'more', parameters: { type: 'object' } };
const added = [
  {
    role: 'assistant',
    parts: [{ type: 'tool-call', id: 'h', name: 'more', kind: 'function', argumentsText: '{}' }],
  },
  { role: 'tool', parts: [{ type: 'tool-result', callId: 'h', parts: [{ type: 'text', text: 'f: …' }] }] },
] as const;
const addedItems = [
  { type: 'function_call', call_id: 'h', name: 'more', arguments: '{}' },
  { type: 'function_call_output', call_id: 'h', output: 'f: …' },
];

it.each([
  ['a text', 'Say "hi".', [{ role: 'user', content: 'Say "hi".' }]],
  ['a list of items', [{ role: 'user', content: 'Hi.' }], [{ role: 'user', content: 'Hi.' }]],
  ['an empty list', [], []],
])('messages of the gateway follow an input that is %s', (_name, input, kept) => {
  const request = read({ input, tools: [{ type: 'function', name: 'f' }] });
  const edited = format.editRequest({ ...request, addTools: [recoveryTool], addMessages: added });
  expect(JSON.parse(Buffer.from(edited.bytes).toString())).toMatchObject({
    input: [...kept, ...addedItems],
    tools: [{ name: 'f' }, { type: 'function', name: 'more', strict: false }],
  });
});

it('only messages, calls and their results are read for compression', () => {
  const { tape } = read({ input: [{ role: 'user', content: 'Hi.' }, ...hosted, call, result] });
  const parts = client.listContext(tape, 0);
  expect(parts.map((part) => [part.speaker, part.text(), part.range !== undefined])).toEqual([
    ['user', 'Hi.', true],
    ['assistant', 'f {"a":1}', false],
    ['tool', 'a long result', true],
  ]);
});

describe('deferred functions', () => {
  const tools = [
    { type: 'function', name: 'f' },
    { type: 'function', name: 'g', defer_loading: false },
    { type: 'web_search' },
  ];
  const search = { type: 'tool_search', execution: 'server', call_id: null, status: 'completed' };
  const found = [
    { ...search, type: 'tool_search_call', id: 'tsc_1', arguments: { paths: ['g'] } },
    { ...search, type: 'tool_search_output', id: 'tso_1', tools: [{ type: 'function', name: 'g' }] },
  ];

  it('are marked in place, and OpenAI’s tool search follows the tools', () => {
    const request = read({ input: 'Hi.', tools });
    const edited = format.editRequest({ ...request, deferTools: new Set([1]) });
    expect(JSON.parse(Buffer.from(edited.bytes).toString())).toMatchObject({
      tools: [tools[0], { name: 'g', defer_loading: true }, tools[2], { type: 'tool_search' }],
    });
    expect(format.editRequest({ ...request, deferTools: new Set() }).bytes).toBe(request.bytes);
  });

  it('are found by the provider’s search within the turn of the model', () => {
    const call = { type: 'function_call', call_id: 'c1', name: 'g', arguments: '{}' };
    const { tape, outline } = read({ input: [{ role: 'user', content: 'Hi.' }, ...found, call] });
    expect(outline.messages.map(({ role }) => role)).toEqual(['user', 'assistant']);
    expect([...(client.listFoundTools?.(tape) ?? [])]).toEqual(['g']);
  });

  it('that the client searches for itself are found in a result of the client', () => {
    const own = found.map((item) => ({ ...item, execution: 'client' }));
    const { outline } = read({ input: [{ role: 'user', content: 'Hi.' }, ...own] });
    expect(outline.messages.map(({ role }) => role)).toEqual(['user', 'assistant', 'tool']);
  });
});

describe('namespaces', () => {
  const tool = (name: string, more = {}) => ({ type: 'function', name, parameters: {}, ...more });
  const files = { type: 'namespace', name: 'files', tools: [tool('read'), tool('write')] };
  const hub = { type: 'namespace', name: 'hub', tools: [tool('read', { description: 'Reads an issue.' })] };
  const opaque = [
    { type: 'namespace', name: 'none', tools: [] },
    { type: 'namespace', tools: [tool('x')] },
  ];
  const tools = [tool('read'), files, hub, ...opaque, { type: 'web_search' }];
  const named = { ...call, call_id: 'c2', name: 'read', namespace: 'hub' };

  it('each tool of a namespace is a tool with a unique name', () => {
    const { tape, outline } = read({ input: 'x', tools });
    expect(outline.tools.map(({ index, name, builtIn }) => [index, name, builtIn])).toEqual([
      [0, 'read', false],
      [1, 'files.read', false],
      [2, 'files.write', false],
      [3, 'hub.read', false],
      [4, 'none', true],
      [5, undefined, true],
      [6, undefined, true],
    ]);
    expect(client.toolDefinitions(tape, outline.tools.slice(3, 4))).toMatchObject([
      { name: 'hub.read', description: 'Reads an issue.' },
    ]);
  });

  it.each([
    [
      [2, 4],
      [{ ...files, tools: [tool('write')] }, opaque[0]],
    ],
    [
      [0, 3, 6],
      [tool('read'), hub, { type: 'web_search' }],
    ],
    [[1], [{ ...files, tools: [tool('read')] }]],
  ])('the tools %j are kept, and namespaces without kept tools are removed', (kept, expected) => {
    const request = read({ input: 'x', tools });
    const { bytes } = format.editRequest({ ...request, keepTools: new Set(kept) });
    expect(JSON.parse(Buffer.from(bytes).toString())).toMatchObject({ tools: expected });
  });

  it('the deferred tool is the tool of the namespace', () => {
    const request = read({ input: 'x', tools });
    const { bytes } = format.editRequest({ ...request, deferTools: new Set([2]) });
    const sent = JSON.parse(Buffer.from(bytes).toString()) as { tools: object[] };
    expect(sent.tools).toEqual([
      tools[0],
      { ...files, tools: [tool('read'), tool('write', { defer_loading: true })] },
      ...tools.slice(2),
      { type: 'tool_search' },
    ]);
  });

  it('edits of a definition apply to the tool of the namespace', () => {
    const request = read({ input: 'x', tools });
    const schemaEdits = new Map([[3, [{ start: 0, end: 1, replacement: '{"strict":true,' }]]]);
    const { bytes } = format.editRequest({ ...request, schemaEdits });
    const sent = JSON.parse(Buffer.from(bytes).toString()) as { tools: object[] };
    expect(sent.tools[2]).toEqual({ ...hub, tools: [{ strict: true, ...hub.tools[0] }] });
  });

  it('a call has the unique name, and loses its namespace when the call is rewritten', () => {
    const request = read({ input: [call, named] });
    expect(request.outline.messages[0]?.toolCalls.map(({ name }) => name)).toEqual(['f', 'hub.read']);
    const [first, second] = client.listCalls(request.tape);
    expect([first?.name, first?.namespaceEdits, second?.name]).toEqual(['f', [], 'hub.read']);
    const callEdits = [
      { ...second!.nameRange, replacement: '"more"' },
      { ...second!.argumentsRange, replacement: '"{}"' },
      ...second!.namespaceEdits!,
    ].sort((one, other) => one.start - other.start);
    const { bytes } = format.editRequest({ ...request, callEdits });
    const rewritten = { type: 'function_call', call_id: 'c2', name: 'more', arguments: '{}' };
    expect(JSON.parse(Buffer.from(bytes).toString())).toMatchObject({ input: [call, rewritten] });
    expect(Buffer.from(bytes).toString()).not.toContain('"namespace"');
  });
});

it.each([
  [[{ type: 'function', name: 'f' }, { type: 'web_search' }], { mode: 'allowed', names: ['f'] }],
  [[{ type: 'web_search' }], { mode: 'unset' }],
])('a tool choice that allows %j keeps the named tools', (tools, expected) => {
  const { outline } = read({ input: 'x', tool_choice: { type: 'allowed_tools', mode: 'auto', tools } });
  expect(outline.toolChoice).toEqual(expected);
});

it.each(['previous_response_id', 'conversation', 'prompt'])('a request with %s needs no input', (field) => {
  const { tape, outline } = read({ [field]: 'stored_1' });
  expect([outline.messages, findContinued(tape)]).toEqual([[], field]);
});

it('finds the first reference to a stored item, but no mention in a text', () => {
  const mention = { role: 'user', content: 'What is an "item_reference"?' };
  const found = (input: readonly object[]) => findStateful(read({ input }).tape);
  expect(found([mention])).toBeUndefined();
  expect(found([mention, { type: 'item_reference', id: 'msg_1' }])).toBe('input[1]');
});
