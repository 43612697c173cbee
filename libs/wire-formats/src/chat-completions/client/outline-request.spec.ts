import type { RequestOutline } from '@gateway/interchange';
import { scanJson } from '../../json/scan-json.ts';
import { outlineRequest } from './outline-request.ts';
import { readCloudFields } from '../../common/gateway-fields.ts';
import { toolDefinitions } from './outline-tools.ts';

const scan = (body: unknown) => scanJson(Buffer.from(JSON.stringify(body)), { depthMax: 64 });
const outline = (members: object): RequestOutline =>
  outlineRequest(scan({ model: 'm', messages: [], ...members }));

describe('outlineRequest', () => {
  it.each([
    [{ messages: [] }, 'missing_field', 'model'],
    [{ model: null, messages: [] }, 'missing_field', 'model'],
    [{ model: '', messages: [] }, 'invalid_field', 'model'],
    [{ model: 1, messages: [] }, 'invalid_field', 'model'],
    [{ model: 'm' }, 'missing_field', 'messages'],
    [{ model: 'm', messages: {} }, 'invalid_field', 'messages'],
    [{ model: 'm', messages: [], tools: {} }, 'invalid_field', 'tools'],
    [{ model: 'm', messages: [], tools: [{}, 1] }, 'invalid_field', 'tools[1]'],
    [{ model: 'm', messages: [], stream: 'yes' }, 'invalid_field', 'stream'],
    [{ model: 'm', messages: [], tool_choice: 3 }, 'invalid_field', 'tool_choice'],
    [[], 'invalid_field', undefined],
    ['text', 'invalid_field', undefined],
  ])('rejects %j and names the invalid field', (body, code, param) => {
    expect(() => outlineRequest(scan(body))).toThrow(expect.objectContaining({ code, param }));
  });

  it('does not validate fields that only the provider reads', () => {
    expect(
      outline({ temperature: 'hot', messages: [1, null, { role: 'oracle' }], n: -1 }).messages,
    ).toHaveLength(3);
  });

  it('treats a field with the value null as unset', () => {
    expect(outline({ stream: null, tools: null, tool_choice: null })).toMatchObject({
      stream: false,
      tools: [],
      toolsRange: undefined,
      toolChoice: { mode: 'unset' },
    });
  });

  it.each([
    ['auto', { mode: 'auto' }],
    ['none', { mode: 'none' }],
    ['required', { mode: 'required' }],
    ['any', { mode: 'required' }],
    [
      { type: 'function', function: { name: 'a' } },
      { mode: 'tool', name: 'a' },
    ],
    [
      { type: 'custom', custom: { name: 'a' } },
      { mode: 'tool', name: 'a' },
    ],
    [
      {
        type: 'allowed_tools',
        allowed_tools: { mode: 'auto', tools: [{ type: 'function', function: { name: 'a' } }] },
      },
      { mode: 'allowed', names: ['a'] },
    ],
    [{ type: 'web_search' }, { mode: 'auto' }],
  ])('reads the tool choice %j', (choice, expected) => {
    expect(outline({ tool_choice: choice }).toolChoice).toEqual(expected);
  });

  it('distinguishes functions, custom tools and built-in tools, and finds cache markers', () => {
    const tools = [
      { type: 'function', function: { name: 'a', parameters: {} } },
      { type: 'custom', custom: { name: 'b' } },
      { type: 'web_search' },
      { type: 'function', function: { name: 'c' }, cache_control: { type: 'ephemeral' } },
    ];
    expect(
      outline({ tools }).tools.map(({ name, builtIn, cacheControl }) => [name, builtIn, cacheControl]),
    ).toEqual([
      ['a', false, false],
      ['b', true, false],
      [undefined, true, false],
      ['c', false, true],
    ]);
  });

  it('reads tool calls, tool results, cache markers and text from messages', () => {
    const messages = [
      { role: 'developer', content: 'be brief' },
      {
        role: 'user',
        content: [{ type: 'text', text: 'é' }, { type: 'image_url' }, { type: 'text', text: 'b' }],
      },
      { role: 'assistant', content: null, tool_calls: [{ id: 'c1', function: { name: 'a' } }] },
      { role: 'tool', tool_call_id: 'c1', content: [{ type: 'text', text: 'r', cache_control: {} }] },
    ];
    const read = outline({ messages }).messages;
    expect(read.map(({ role }) => role)).toEqual(['system', 'user', 'assistant', 'tool']);
    expect(read.map((message) => message.text())).toEqual(['be brief', 'é\nb', '', 'r']);
    expect(read[2]?.toolCalls).toEqual([{ id: 'c1', name: 'a' }]);
    expect(read[3]?.toolResultIds).toEqual(['c1']);
    expect(read.map(({ cacheControl }) => cacheControl)).toEqual([false, false, false, true]);
  });
});

describe('toolDefinitions', () => {
  it('returns the definitions of the requested tools, including examples', () => {
    const parameters = { type: 'object' };
    const tape = scan({
      model: 'm',
      messages: [],
      tools: [
        { type: 'function', function: { name: 'a' } },
        {
          type: 'function',
          function: { name: 'b', description: 'd', parameters, 'x-svc-examples': ['x', 1] },
        },
        { type: 'web_search', 'x-svc-examples': ['y'] },
      ],
    });
    const { tools } = outlineRequest(tape);
    expect(toolDefinitions(tape, tools.slice(1))).toEqual([
      { name: 'b', description: 'd', parameters, examples: ['x'] },
      { name: null, description: '', parameters: null, examples: ['y'] },
    ]);
  });
});

describe('readCloudFields', () => {
  it('reads the credential fields and rejects non-string values', () => {
    expect(readCloudFields(scan({ cloud_region_name: 'eu', cloud_session_token: null }))).toEqual({
      cloud_region_name: 'eu',
    });
    expect(() => readCloudFields(scan({ cloud_region_name: 1 }))).toThrow(
      expect.objectContaining({ param: 'cloud_region_name' }),
    );
  });
});
