import type { RequestEdit } from '../common/request-edit.ts';
import { scanJson } from '../json/scan-json.ts';
import { listFoundTools } from './client/outline-messages.ts';
import { searchTool } from './edit-request.ts';
import { messages } from './messages.ts';

function edit(body: string, options: Partial<RequestEdit>): string {
  const bytes = Buffer.from(body);
  const tape = scanJson(bytes, { depthMax: 128 });
  const outline = messages.client.outlineRequest(tape);
  return Buffer.from(messages.editRequest({ bytes, tape, outline, ...options }).bytes).toString();
}

const tool = (name: string, more = ''): string =>
  `{"name":"${name}","input_schema":{"type":"object"}${more}}`;
const deferred = ',"defer_loading":true';
const withTools = (tools: string): string => `{"model":"m","messages":[],"tools":[${tools}],"max_tokens":5}`;
const search = JSON.stringify(searchTool);

describe('deferred tools', () => {
  it('are marked in place, and the provider’s search tool is appended', () => {
    const body = withTools(`${tool('a')}, ${tool('b')},${tool('c')}`);
    const edited = edit(body, { keepTools: new Set([0, 2]), deferTools: new Set([2]) });
    expect(edited).toBe(withTools(`${tool('a')},${tool('c', deferred)},${search}`));
    expect(edit(body, { deferTools: new Set([0, 1, 2]) })).toBe(
      withTools(`${tool('a', deferred)}, ${tool('b', deferred)},${tool('c', deferred)},${search}`),
    );
  });

  it('are not marked twice, and edits to their examples and schemas are applied as usual', () => {
    const definition = '{"name":"a","input_schema":{"title":"t","type":"object"},"x-svc-examples":[] }';
    const at = definition.indexOf('"title":"t",');
    const schemaEdits = new Map([[0, [{ start: at, end: at + 12, replacement: '' }]]]);
    const body = withTools(`${definition},${tool('b', ',"defer_loading":false')}`);
    const edited = edit(body, { deferTools: new Set([0, 1]), schemaEdits });
    expect((JSON.parse(edited) as { tools: unknown }).tools).toEqual([
      { name: 'a', input_schema: { type: 'object' }, defer_loading: true },
      { name: 'b', input_schema: { type: 'object' }, defer_loading: true },
      searchTool,
    ]);
  });

  it('cause no change if the edit names no deferred tools', () => {
    const body = withTools(tool('a'));
    expect(edit(body, { deferTools: new Set() })).toBe(body);
  });
});

describe('deferred tools that user turns load', () => {
  const say = (role: string, content = 'x') => ({ role, content });
  const tools = [{ name: 'a' }, { name: 'b' }, { name: 'c' }];
  const load = (...names: string[]) => ({
    role: 'system',
    content: names.map((name) => ({ type: 'tool_addition', tool: { type: 'tool_reference', name } })),
  });
  const sentWith = (transcript: readonly object[], loadTools: RequestEdit['loadTools'] = []): unknown => {
    const body = edit(JSON.stringify({ model: 'm', messages: transcript, tools }), {
      deferTools: new Set([1, 2]),
      loadTools,
    });
    return (JSON.parse(body) as { messages: unknown }).messages;
  };

  it('are loaded by system messages after the turns', () => {
    const transcript = [say('user'), say('assistant'), say('user'), say('assistant'), say('user')];
    const [one, two, three, four, five] = transcript;
    const loadTools = [
      { after: 2, tools: [2] },
      { after: 4, tools: [1] },
    ];
    expect(sentWith(transcript, loadTools)).toEqual([one, two, three, load('c'), four, five, load('b')]);
  });

  it.each([
    ['a message of the model', [say('user'), say('assistant')], 1],
    ['a message before another client message', [say('user'), say('user')], 0],
    ['a message that the transcript lacks', [say('user')], 3],
  ])('are not loaded after %s', (_, transcript, after) => {
    expect(sentWith(transcript, [{ after, tools: [1] }])).toEqual(transcript);
  });
});

it("lists the tools found by the provider's and the client's searches", () => {
  const reference = (tool_name: string) => ({ type: 'tool_reference', tool_name });
  const transcript = [
    { role: 'user', content: 'hello' },
    {
      role: 'assistant',
      content: [
        { type: 'server_tool_use', id: 's1', name: searchTool.name, input: { query: 'x' } },
        {
          type: 'tool_search_tool_result',
          tool_use_id: 's1',
          content: {
            type: 'tool_search_tool_search_result',
            tool_references: [reference('a'), reference('b')],
          },
        },
        { type: 'tool_use', id: 't1', name: 'a', input: {} },
      ],
    },
    {
      role: 'user',
      content: [{ type: 'tool_result', tool_use_id: 't1', content: [reference('c')] }, 'odd', null],
    },
  ];
  const tape = scanJson(Buffer.from(JSON.stringify({ messages: transcript })), { depthMax: 128 });
  expect([...listFoundTools(tape)]).toEqual(['a', 'b', 'c']);
  expect(listFoundTools(scanJson(Buffer.from('{"messages":{}}'), { depthMax: 128 })).size).toBe(0);
});
