import { TranscriptRules } from './transcript-rules.ts';

const user = { role: 'user', content: 'Please do it.' };
const tools = [{ name: 'a', input_schema: { type: 'object' } }];
const call = (id: string) => ({ type: 'tool_use', id, name: 'a', input: {} });
const result = (id: string) => ({ type: 'tool_result', tool_use_id: id, content: 'ok' });

let rules: TranscriptRules;
beforeEach(() => {
  rules = new TranscriptRules();
});

/** Records reasoning blocks as one response and returns them. */
function think(...texts: string[]): object[] {
  const issued = texts.map((text) => ({ kind: 'reasoning', text, signature: rules.sign(text) }) as const);
  rules.issue(issued);
  return issued.map(({ text, signature }) => ({ type: 'thinking', thinking: text, signature }));
}

const check = (messages: readonly object[], more: object = {}): string | undefined =>
  rules.check('messages', { tools, messages, ...more });
const enabled = { thinking: { type: 'enabled', budget_tokens: 1024 } };

it('accepts a turn with reasoning that the client returns unmodified', () => {
  const turn = { role: 'assistant', content: [...think('one', 'two'), call('1')] };
  expect(check([user, turn, { role: 'user', content: [result('1')] }], enabled)).toBeUndefined();
  expect(rules.violations).toEqual([]);
});

it.each<[string, () => readonly object[], RegExp]>([
  [
    'a call without a result',
    () => [{ role: 'assistant', content: [call('1')] }, user],
    /without `tool_result`/,
  ],
  ['a result without a call', () => [{ role: 'user', content: [result('9')] }], /unexpected `tool_use_id`/],
  [
    'a repeated call id',
    () => [
      { role: 'assistant', content: [call('1'), call('1')] },
      { role: 'user', content: [result('1')] },
    ],
    /must be unique/,
  ],
  [
    'two turns of the model in a row',
    () => [
      { role: 'assistant', content: [{ type: 'text', text: 'a' }] },
      { role: 'assistant', content: [{ type: 'text', text: 'b' }] },
    ],
    /must alternate/,
  ],
  [
    'a blank text',
    () => [{ role: 'assistant', content: [{ type: 'text', text: ' ' }] }, user],
    /non-whitespace/,
  ],
  [
    'a result after text',
    () => [
      { role: 'assistant', content: [call('1')] },
      { role: 'user', content: [{ type: 'text', text: 'so' }, result('1')] },
    ],
    /must come first/,
  ],
  [
    'a changed text of reasoning',
    () => [
      {
        role: 'assistant',
        content: [
          { ...think('one')[0], thinking: 'two' },
          { type: 'text', text: 'a' },
        ],
      },
    ],
    /Invalid `signature`/,
  ],
  [
    'the reasoning of two responses in one row',
    () => [{ role: 'assistant', content: [...think('one'), ...think('two'), { type: 'text', text: 'a' }] }],
    /cannot be modified/,
  ],
  [
    'a part of the consecutive reasoning',
    () => [{ role: 'assistant', content: [think('one', 'two')[0]!, { type: 'text', text: 'a' }] }],
    /cannot be modified/,
  ],
  [
    'reasoning at the end of a message',
    () => [{ role: 'assistant', content: think('one') }, user],
    /final block/,
  ],
])('rejects %s', (_, messages, error) => {
  expect(check([user, ...messages()])).toMatch(error);
  expect(rules.violations).toHaveLength(1);
});

it('rejects a turn with calls that does not begin with reasoning, if the request sets a reasoning budget', () => {
  const turn = [user, { role: 'assistant', content: [call('1')] }, { role: 'user', content: [result('1')] }];
  expect(check(turn)).toBeUndefined();
  expect(check(turn, enabled)).toMatch(/must start with a thinking block/);
  expect(check([user], { ...enabled, tool_choice: { type: 'any' } })).toMatch(/may not be enabled/);
});

it('reads requests in the converse format', () => {
  rules.issue([{ kind: 'reasoning', text: 'one', signature: rules.sign('one') }]);
  const reasoning = { reasoningContent: { reasoningText: { text: 'one', signature: rules.sign('one') } } };
  const toolUse = { toolUse: { toolUseId: '1', name: 'a', input: {} } };
  const messages = (first: object) => [
    { role: 'user', content: [{ text: 'Please do it.' }] },
    { role: 'assistant', content: [first, toolUse] },
    { role: 'user', content: [{ toolResult: { toolUseId: '1', content: [{ text: 'ok' }] } }] },
  ];
  const toolConfig = { tools: [{ toolSpec: { name: 'a' } }] };
  expect(rules.check('converse', { toolConfig, messages: messages(reasoning) })).toBeUndefined();
  const forged = { reasoningContent: { reasoningText: { text: 'two', signature: rules.sign('one') } } };
  expect(rules.check('converse', { toolConfig, messages: messages(forged) })).toMatch(/Invalid `signature`/);
});

it('reads requests in the chat-completions format, in which the calls of a turn need their reasoning', () => {
  rules.issue([{ kind: 'unsigned', text: 'one' }]);
  const turn = (more: object) => [
    user,
    { role: 'assistant', content: null, tool_calls: [{ id: '1', function: { name: 'a' } }], ...more },
    { role: 'tool', tool_call_id: '1', content: 'ok' },
  ];
  const body = (more: object) => ({ tools: [{ function: { name: 'a' } }], messages: turn(more) });
  expect(rules.check('chat-completions', body({ reasoning_content: 'one' }))).toBeUndefined();
  expect(rules.check('chat-completions', body({}))).toMatch(/Missing `reasoning_content`/);
  expect(rules.check('chat-completions', body({ reasoning_content: 'onetwo' }))).toMatch(
    /cannot be modified/,
  );
});
