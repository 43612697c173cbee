import { bindingBeta, type BoundFormat } from './prefix-binding.ts';
import { toolChangesBeta } from './tool-additions.ts';
import { TranscriptRules } from './transcript-rules.ts';

const tool = (name: string, more: object = {}) => ({ name, input_schema: { type: 'object' }, ...more });
const [search, find] = [
  { type: 'tool_search_tool_bm25_20251119', name: 'tool_search_tool_bm25' },
  tool('find'),
];
const user = { role: 'user', content: 'Please do it.' };
const next = { role: 'user', content: [{ type: 'text', text: 'And now?' }] };
const deferred = { defer_loading: true };
const adaptive = { type: 'adaptive' };
const dropping = { thinking: { ...adaptive, block_binding: { prefix_mismatch_behavior: 'drop_block' } } };

interface Body {
  readonly system?: unknown;
  readonly tools: readonly object[];
  readonly messages: readonly object[];
  readonly thinking?: object;
}

let rules: TranscriptRules;
beforeEach(() => {
  rules = new TranscriptRules({ bindsPrefix: true });
});

/** Creates the response to a request, and returns the request's messages with the response. */
function answer(body: Body, text = 'Done.', more: readonly object[] = []): object[] {
  const [signature = ''] = rules.signBound('messages', body, ['']);
  const content = [{ type: 'thinking', thinking: '', signature }, ...more, { type: 'text', text }];
  return [...body.messages, { role: 'assistant', content }];
}

const first: Body = {
  system: 'Be brief.',
  tools: [tool('a'), tool('b'), tool('c', deferred), search],
  messages: [user],
};
const after = (change: (body: Body) => Partial<Body> = () => ({})): Body => {
  const body = { ...first, messages: [...answer(first), next] };
  return { ...body, ...change(body) };
};
const isLoad = (message: object): boolean => JSON.stringify(message).includes('tool_addition');
const judge = (body: Body, betas?: string) => rules.judge('messages', body, betas);
const mismatch =
  /^messages\.1\.content\.0: Invalid `signature` in `thinking` block\. The block is bound to a different conversation\. Remove the block, or set/;

test.each<[string, (body: Body) => Partial<Body>]>([
  ['nothing', () => ({})],
  ['the order of the tools', ({ tools }) => ({ tools: [...tools].reverse() })],
  ['cache markers', () => ({ tools: [tool('a', { cache_control: {} }), ...first.tools.slice(1)] })],
  ['a deferred tool that nothing references', ({ tools }) => ({ tools: [...tools, tool('d', deferred)] })],
  ['all reasoning', () => ({ messages: [user, { role: 'assistant', content: 'Done.' }, next] })],
])('accepts a changed request: %s', (_, change) => {
  expect(judge(after(change))).toEqual({ kind: 'accepted' });
});

test.each<[string, (body: Body) => Partial<Body>]>([
  ['the instructions', () => ({ system: 'Be long.' })],
  ['a tool less', ({ tools }) => ({ tools: tools.slice(1) })],
  ['a tool more', ({ tools }) => ({ tools: [...tools, find] })],
  ['another schema', ({ tools }) => ({ tools: [tool('a', { description: 'A.' }), ...tools.slice(1)] })],
  ['a tool deferred later', ({ tools }) => ({ tools: [tool('a', deferred), ...tools.slice(1)] })],
  ['a tool loaded later', () => ({ tools: [tool('a'), tool('b'), tool('c'), search] })],
  [
    'an earlier message',
    ({ messages }) => ({ messages: [{ role: 'user', content: 'Do.' }, ...messages.slice(1)] }),
  ],
])('rejects %s, as documented', (_, change) => {
  expect(judge(after(change))).toMatchObject({
    kind: 'rejected',
    message: expect.stringMatching(mismatch) as string,
  });
  expect(rules.violations).toHaveLength(1);
});

test('rejects a tampered block with the error for an invalid signature', () => {
  const body = after(({ messages }) => ({
    messages: messages.map(
      (message) => JSON.parse(JSON.stringify(message).replace('"signature":"', '"signature":"x')) as object,
    ),
  }));
  expect(judge(body)).toEqual({
    kind: 'rejected',
    message: 'messages.1.content.0: Invalid `signature` in `thinking` block',
  });
});

test('includes a found tool in the prefix from the message that references the tool', () => {
  const reference = {
    type: 'tool_search_tool_result',
    content: { tool_references: [{ type: 'tool_reference', tool_name: 'c' }] },
  };
  const second = { ...first, messages: [...answer(first, 'Found.', [reference]), next] };
  const third = { ...second, messages: [...answer(second), next] };
  expect(judge(third)).toEqual({ kind: 'accepted' });
  const without = { ...third, tools: [tool('a'), tool('b'), search] };
  expect(judge(without)).toMatchObject({
    kind: 'rejected',
    message: expect.stringContaining('messages.3') as string,
  });
});

describe('a message that loads deferred tools', () => {
  const load = (name: string) => ({
    role: 'system',
    content: [{ type: 'tool_addition', tool: { type: 'tool_reference', name } }],
  });
  const loading = (): Body => after(({ messages }) => ({ messages: [...messages, load('c')] }));

  test('is accepted after a user message, with its beta, and changes no earlier prefix', () => {
    expect(judge(loading(), toolChangesBeta)).toEqual({ kind: 'accepted' });
    expect(judge(loading())).toMatchObject({ kind: 'rejected' });
  });

  test('belongs to the prefix of all later reasoning', () => {
    const body = loading();
    const later = { ...body, messages: [...answer(body), next] };
    expect(judge(later, toolChangesBeta)).toEqual({ kind: 'accepted' });
    const dropped = { ...later, messages: later.messages.filter((message) => !isLoad(message)) };
    expect(judge(dropped, toolChangesBeta)).toMatchObject({
      kind: 'rejected',
      message: expect.stringContaining('messages.3') as string,
    });
  });

  test.each<[string, (body: Body) => readonly object[]]>([
    ['first', ({ messages }) => [load('c'), ...messages]],
    ['after a message of the model', ({ messages }) => [...messages.slice(0, -1), load('c')]],
    ['of a tool that is not deferred', ({ messages }) => [...messages, load('a')]],
  ])('is rejected %s', (_, change) => {
    const body = after((given) => ({ messages: change(given) }));
    expect(judge(body, toolChangesBeta)).toMatchObject({ kind: 'rejected' });
  });
});

describe('the chain of blocks', () => {
  const long = (): Body => {
    const second = after();
    return { ...second, messages: [...answer(second), next] };
  };
  const without = (body: Body, at: number): Body => ({
    ...body,
    messages: body.messages.map((message, index) =>
      index === at ? { role: 'assistant', content: 'Done.' } : message,
    ),
  });

  test('may lose blocks at the start or at the end', () => {
    const body = long();
    expect(judge(without(body, 1))).toEqual({ kind: 'accepted' });
    expect(judge(without(body, 3))).toEqual({ kind: 'accepted' });
  });

  test('may not have a gap, and a removed block cannot return', () => {
    const body = long();
    const more = { ...body, messages: [...answer(body), next] };
    expect(judge(without(more, 3))).toMatchObject({ kind: 'rejected' });
    const added = answer(without(without(body, 1), 3)).slice(-1);
    const restored = { ...body, messages: [...body.messages, ...added, next] };
    expect(judge(restored)).toMatchObject({ kind: 'rejected' });
  });
});

describe('the control', () => {
  const changed = (more: object = {}) => after(({ tools }) => ({ tools: tools.slice(1), ...more }));

  test('requires its beta', () => {
    expect(judge(changed(dropping))).toEqual({
      kind: 'rejected',
      message: 'thinking.block_binding: Extra inputs are not permitted',
    });
  });

  test('drops the first mismatching block and all later blocks, and reports the dropped blocks', () => {
    expect(judge(changed(dropping), `other-beta, ${bindingBeta}`)).toEqual({
      kind: 'dropped',
      transformations: [
        { type: 'thinking_dropped', path: 'messages.1.content.0', reason: 'prefix_binding_mismatch' },
      ],
    });
  });
});

test('checks converse requests by the same rules, with the beta in the body', () => {
  const spec = (name: string) => ({ toolSpec: { name } });
  const body = {
    messages: [{ role: 'user', content: [{ text: 'Go.' }] }],
    toolConfig: { tools: [spec('a'), spec('b')] },
  };
  const [signature = ''] = rules.signBound('converse', body, ['hm']);
  const reasoning = { reasoningContent: { reasoningText: { text: 'hm', signature } } };
  const messages = [
    ...body.messages,
    { role: 'assistant', content: [reasoning, { text: 'Done.' }] },
    body.messages[0]!,
  ];
  expect(rules.judge('converse', { ...body, messages })).toEqual({ kind: 'accepted' });
  const fewer = { messages, toolConfig: { tools: [spec('a')] } };
  expect(rules.judge('converse', fewer)).toMatchObject({
    kind: 'rejected',
    message: expect.stringMatching(mismatch) as string,
  });
  const fields = { ...dropping, anthropic_beta: [bindingBeta] };
  expect(rules.judge('converse', { ...fewer, additionalModelRequestFields: fields })).toMatchObject({
    kind: 'dropped',
  });
});

test('the Responses API drops reasoning without an error', () => {
  const format: BoundFormat = 'responses';
  const body = { input: [{ role: 'user', content: 'Go.' }], tools: [tool('a')] };
  const [encrypted_content = ''] = rules.signBound(format, body, ['']);
  const input = [
    ...body.input,
    { type: 'reasoning', id: 'rs_1', encrypted_content },
    { role: 'assistant', content: 'Done.' },
  ];
  expect(rules.judge(format, { ...body, input })).toEqual({ kind: 'accepted' });
  expect(rules.judge(format, { tools: [tool('b')], input })).toEqual({
    kind: 'dropped',
    transformations: [{ type: 'reasoning', id: 'rs_1', action: 'removed', reason: 'prefix_mismatch' }],
  });
});
