import type { RequestOutline } from '@gateway/interchange';
import { scanJson } from '../../json/scan-json.ts';
import { messages } from '../messages.ts';

const outline = (body: object): RequestOutline =>
  messages.client.outlineRequest(
    scanJson(Buffer.from(JSON.stringify({ model: 'm', messages: [], ...body })), { depthMax: 128 }),
  );
const schema = { type: 'object' };
const marker = { cache_control: { type: 'ephemeral' } };

describe('outlining a request', () => {
  it('distinguishes prunable tools from tools that are always forwarded', () => {
    const { tools } = outline({
      tools: [
        { name: 'a', input_schema: schema },
        { name: 'b', type: 'custom', input_schema: schema, ...marker },
        { type: 'web_search_20250305', name: 'web_search' },
        { type: 'mcp_toolset', mcp_server_name: 's' },
        { name: 'c', input_schema: schema, defer_loading: true },
        { name: 'd', input_schema: schema, cache_control: null },
      ],
    });
    expect(tools.map(({ name, builtIn, cacheControl }) => [name, builtIn, cacheControl])).toEqual([
      ['a', false, false],
      ['b', false, true],
      ['web_search', true, false],
      [undefined, true, false],
      ['c', true, false],
      ['d', false, false],
    ]);
  });

  it.each([
    [undefined, { mode: 'unset' }],
    [null, { mode: 'unset' }],
    [{ type: 'auto', disable_parallel_tool_use: true }, { mode: 'auto' }],
    [{ type: 'any' }, { mode: 'required' }],
    [{ type: 'none' }, { mode: 'none' }],
    [
      { type: 'tool', name: 'a' },
      { mode: 'tool', name: 'a' },
    ],
    [{ type: 'of_the_future' }, { mode: 'auto' }],
  ])('reads the tool choice %j', (choice, expected) => {
    expect(outline({ tool_choice: choice }).toolChoice).toEqual(expected);
  });

  it('reads calls and results, and gives the role tool to a turn that contains only results', () => {
    const { messages: turns } = outline({
      messages: [
        { role: 'user', content: 'go' },
        {
          role: 'assistant',
          content: [
            { type: 'text', text: 'well' },
            { type: 'tool_use', id: 't1', name: 'a', input: {} },
            { type: 'server_tool_use', id: 's1', name: 'web_search', input: {} },
          ],
        },
        {
          role: 'user',
          content: [
            { type: 'tool_result', tool_use_id: 't1', content: [{ type: 'text', text: 'r1', ...marker }] },
            { type: 'tool_result', tool_use_id: 't2', content: 'r2' },
          ],
        },
        {
          role: 'user',
          content: [
            { type: 'tool_result', tool_use_id: 't3' },
            { type: 'text', text: 'more' },
          ],
        },
      ],
    });
    expect(turns.map(({ role, toolResultIds }) => [role, toolResultIds])).toEqual([
      ['user', []],
      ['assistant', []],
      ['tool', ['t1', 't2']],
      ['user', ['t3']],
    ]);
    expect(turns[1]!.toolCalls).toEqual([{ id: 't1', name: 'a' }]);
    expect(turns.map((turn) => turn.text())).toEqual(['go', 'well', 'r1\nr2', 'more']);
    expect(turns.map(({ cacheControl }) => cacheControl)).toEqual([false, false, true, false]);
  });

  it('reads the system prompt and its marker, and applies a marker on the request to the last message', () => {
    const { system, messages: turns } = outline({
      system: [
        { type: 'text', text: 'be' },
        { type: 'text', text: 'brief', ...marker },
      ],
      messages: [
        { role: 'user', content: 'a' },
        { role: 'user', content: 'b' },
      ],
      ...marker,
    });
    expect([system?.cacheControl, system?.text()]).toEqual([true, 'be\nbrief']);
    expect(turns.map(({ cacheControl }) => cacheControl)).toEqual([false, true]);
  });

  it.each([
    [{ model: null }, 'missing_field', 'model'],
    [{ model: 5 }, 'invalid_field', 'model'],
    [{ model: 'm'.repeat(513) }, 'invalid_field', 'model'],
    [{ messages: null }, 'missing_field', 'messages'],
    [{ messages: {} }, 'invalid_field', 'messages'],
    [{ tools: 'x' }, 'invalid_field', 'tools'],
    [{ tools: [1] }, 'invalid_field', 'tools[0]'],
    [{ stream: 'yes' }, 'invalid_field', 'stream'],
    [{ tool_choice: 'auto' }, 'invalid_field', 'tool_choice'],
    [{ tool_choice: { type: 'tool' } }, 'invalid_field', 'tool_choice.name'],
    [{ cloud_access_key_id: 'x' }, 'unknown_field', 'cloud_access_key_id'],
  ])('rejects %j with %s', (body, code, param) => {
    expect(() => outline(body)).toThrow(expect.objectContaining({ code, param }));
  });

  it('does not validate fields that only the provider reads', () => {
    expect(outline({ messages: [1, { role: 'x', content: 5 }], max_tokens: 'many' }).messages).toHaveLength(
      2,
    );
    expect(outline({ max_tokens: 7 }).maxOutputTokens).toBe(7);
  });

  it('returns the definitions of the requested tools, including examples', () => {
    const body = {
      model: 'm',
      messages: [],
      tools: [
        { name: 'a', input_schema: schema },
        { name: 'b', description: 'd', input_schema: schema, 'x-svc-examples': ['e', 1] },
        { type: 'bash_20250124', name: 'bash' },
      ],
    };
    const tape = scanJson(Buffer.from(JSON.stringify(body)), { depthMax: 128 });
    const { tools } = messages.client.outlineRequest(tape);
    expect(messages.client.toolDefinitions(tape, tools.slice(1))).toEqual([
      { name: 'b', description: 'd', parameters: schema, examples: ['e'] },
      { name: 'bash', description: '', parameters: null, examples: [] },
    ]);
  });
});
