import type { ClientFormat } from '@gateway/interchange';
import { formatNamed, providerFormatNamed, scanJson } from '@gateway/wire-formats';

/**
 * Provider state in transcripts. Providers must receive their state back unchanged. The tests translate a
 * client's request, or edit the request in the same way as a plan.
 */

type Json = Record<string, unknown>;

function translate(from: ClientFormat, to: ClientFormat, body: object, options: object = {}): Json {
  const route = from === 'converse' ? { route: { model: 'm', stream: false } } : {};
  const tape = scanJson(Buffer.from(JSON.stringify({ model: 'm', max_tokens: 9, ...body })), {
    depthMax: 64,
  });
  const request = formatNamed(from).client.parseRequest(tape, route.route);
  const rendered = formatNamed(to).provider.renderRequest(request, { model: 'm', ...options });
  return JSON.parse(JSON.stringify(rendered.body)) as Json;
}

/** Edits a request like a plan with deferral does, and returns the edited request. */
function edit(format: ClientFormat, body: object): Json {
  const bytes = Buffer.from(JSON.stringify({ model: 'm', max_tokens: 9, ...body }));
  const tape = scanJson(bytes, { depthMax: 64 });
  const outline = formatNamed(format).client.outlineRequest(tape);
  const edited = formatNamed(format).editRequest({ bytes, tape, outline, deferTools: new Set([0]) });
  return JSON.parse(Buffer.from(edited.bytes).toString()) as Json;
}

const user = { role: 'user', content: [{ type: 'text', text: 'Go.' }] };
const next = { role: 'user', content: [{ type: 'text', text: 'And now?' }] };

describe('empty signed reasoning', () => {
  const signature = 'EqQBCg==';
  const inMessages = {
    messages: [
      user,
      {
        role: 'assistant',
        content: [
          { type: 'thinking', thinking: '', signature },
          { type: 'text', text: 'Done.' },
        ],
      },
      next,
    ],
  };

  it('keeps its place between messages and converse', () => {
    const converse = translate('messages', 'converse', inMessages);
    const turn = (converse['messages'] as Json[])[1];
    expect(turn).toEqual({
      role: 'assistant',
      content: [{ reasoningContent: { reasoningText: { text: '', signature } } }, { text: 'Done.' }],
    });
    expect((translate('converse', 'messages', converse)['messages'] as Json[])[1]).toEqual(
      inMessages.messages[1],
    );
  });
});

it.each([
  ['chat-completions', 'messages'],
  ['chat-completions', 'converse'],
  ['messages', 'converse'],
] as const)('a system message in the conversation keeps its place (%s to %s)', (from, to) => {
  const say = (role: string, text: string) => ({ role, content: text });
  const messages = [say('user', 'a'), say('system', 'b'), say('assistant', 'c'), say('user', 'd')];
  const sent = translate(from, to, { messages }, { takesSystemTurns: true })['messages'] as Json[];
  expect(sent.map(({ role }) => role)).toEqual(['user', 'system', 'assistant', 'user']);
});

it.each(['messages', 'responses', 'gemini', 'cohere', 'chat-completions'] as const)(
  '`tool_choice: none` removes no tools (%s)',
  (to) => {
    const tools = [{ type: 'function', function: { name: 'f', parameters: { type: 'object' } } }];
    const body = { messages: [{ role: 'user', content: 'Go.' }], tools, tool_choice: 'none' };
    const tape = scanJson(Buffer.from(JSON.stringify({ model: 'm', ...body })), { depthMax: 64 });
    const request = formatNamed('chat-completions').client.parseRequest(tape);
    const { body: sent } = providerFormatNamed(to).provider.renderRequest(request, { model: 'm' });
    expect(JSON.stringify(sent)).toContain('"name":"f"');
  },
);

it('a plan with deferral leaves tool searches and references of the messages format unchanged', () => {
  const found = {
    type: 'tool_search_tool_search_result',
    tool_references: [{ type: 'tool_reference', tool_name: 'b' }],
  };
  const messages = [
    user,
    {
      role: 'assistant',
      content: [
        { type: 'thinking', thinking: '', signature: 'Eq==' },
        { type: 'server_tool_use', id: 's', name: 'tool_search_tool_bm25', input: { query: 'x' } },
        { type: 'tool_search_tool_result', tool_use_id: 's', content: found },
        { type: 'tool_use', id: 't', name: 'b', input: {} },
      ],
    },
    {
      role: 'user',
      content: [
        { type: 'tool_result', tool_use_id: 't', content: [{ type: 'tool_reference', tool_name: 'c' }] },
      ],
    },
    { role: 'system', content: [{ type: 'tool_removal', tool: { type: 'tool_reference', name: 'c' } }] },
  ];
  const own = { name: 'b', input_schema: {}, defer_loading: true, new_field: 1 };
  const sent = edit('messages', { messages, tools: [{ name: 'a', input_schema: {} }, own] });
  expect(sent['messages']).toEqual(messages);
  expect((sent['tools'] as Json[])[1]).toEqual(own);
});

it('a plan with deferral leaves the phase, the namespace and unknown items of the Responses API unchanged', () => {
  const input = [
    { role: 'user', content: 'Go.' },
    { type: 'reasoning', id: 'rs_1', summary: [], encrypted_content: 'gAAA' },
    {
      type: 'message',
      role: 'assistant',
      phase: 'commentary',
      content: [{ type: 'output_text', text: 'Hm.' }],
    },
    { type: 'function_call', call_id: 'c', name: 'f', namespace: 'files', arguments: '{}' },
    { type: 'function_call_output', call_id: 'c', output: 'x' },
    { type: 'a_new_item', role: 'developer', value: 1 },
  ];
  const tools = [{ type: 'function', name: 'a' }];
  expect(edit('responses', { input, tools })['input']).toEqual(input);
});
