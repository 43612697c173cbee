import { applyEdits, scanJson } from '@gateway/wire-formats';
import { restrictBody } from './restrict-body.ts';
import { permissionOf, ToolPermission, type ToolLists } from './tool-permission.ts';

function restrict(body: string | object, lists: Partial<ToolLists>): unknown {
  const bytes = Buffer.from(typeof body === 'string' ? body : JSON.stringify(body));
  const permission = new ToolPermission({ allowedTools: null, deniedTools: null, ...lists });
  const edits = restrictBody(scanJson(bytes, { depthMax: 128 }), permission);
  return JSON.parse(applyEdits(bytes, edits).toString('utf8')) as unknown;
}

const deny = (body: string | object, ...deniedTools: string[]) => restrict(body, { deniedTools });
const allow = (body: string | object, ...allowedTools: string[]) => restrict(body, { allowedTools });
const fn = (name: string) => ({ type: 'function', function: { name } });

describe('the restriction of a request body to permitted tools', () => {
  it('returns the same bytes if every tool is permitted', () => {
    const text = '{ "tools" : [ {"type":"function", "function":{"name":"read"}} ], "tool_choice":"auto" }';
    const tape = scanJson(Buffer.from(text), { depthMax: 128 });
    expect(restrictBody(tape, new ToolPermission({ allowedTools: ['read'], deniedTools: null }))).toEqual([]);
  });

  it('names a versioned built-in tool by its type without the version', () => {
    const tools = [
      { type: 'web_search_20250305', name: 'web_search' },
      { type: 'text_editor_20250728', name: 'str_replace_based_edit_tool' },
    ];
    expect(deny({ tools }, 'web_search', 'text_editor')).toEqual({});
    expect(allow({ tools }, 'web_search', 'str_replace_based_edit_tool')).toEqual({ tools });
    expect(deny({ tools: [{ type: 'web_search_preview_2025_03_11' }] }, 'web_search')).toEqual({});
  });

  it('requires that both names of a renamed built-in tool are permitted', () => {
    const body = { tools: [{ type: 'bash_20250124', name: 'read' }] };
    expect(allow(body, 'read')).toEqual({});
    expect(allow(body, 'read', 'bash')).toEqual(body);
  });

  it('keeps a cache point only after a tool that is kept', () => {
    const point = { cachePoint: { type: 'default' } };
    const tools = [{ toolSpec: { name: 'erase' } }, point, { toolSpec: { name: 'read' } }, point];
    expect(deny({ toolConfig: { tools } }, 'erase')).toEqual({ toolConfig: { tools: tools.slice(2) } });
    expect(deny({ toolConfig: { tools: tools.slice(0, 2) } }, 'erase')).toEqual({});
  });

  it('restricts a toolset of an MCP server to the permitted tools of the server', () => {
    const toolset = (configs: object) => ({
      mcp_servers: [{ type: 'url', name: 'shop', url: 'https://m.example' }],
      tools: [{ type: 'mcp_toolset', mcp_server_name: 'shop', default_config: { enabled: false }, configs }],
    });
    const on = { enabled: true };
    expect(deny(toolset({ read: on, erase: on }), 'erase')).toEqual(toolset({ read: on }));
    expect(() =>
      deny({ ...toolset({}), tools: [{ type: 'mcp_toolset', mcp_server_name: 'shop' }] }, 'erase'),
    ).toThrow(
      expect.objectContaining({ code: 'ambiguous_tools', param: 'tools[0].default_config.enabled' }) as Error,
    );
  });

  it.each([
    ['{"tools":[{"name":7}]}', 'tools[0].name'],
    ['{"tools":[{"name":"a\\ud800"}]}', 'tools[0].name'],
    ['{"tools":[{"type":"function"}]}', 'tools[0]'],
    ['{"tools":[[]]}', 'tools[0]'],
    ['{"tools":{"name":"a"}}', 'tools'],
    ['{"tools":[{"name":"a","name":"b"}]}', 'tools[0].name'],
    ['{"tools":[{"Function":{"name":"a"},"name":"b"}]}', 'tools[0].Function'],
    ['{"extra_body":{"a":[{"TOOLS":[]}]}}', 'extra_body.a[0].TOOLS'],
    ['{"messages":[{"role":"system","Tools":[]}]}', 'messages[0].Tools'],
    ['{"Messages":[]}', 'Messages'],
    ['{"tool_choice":7}', 'tool_choice'],
    ['{"mcp_servers":[{"name":"shop"}]}', 'mcp_servers[0].tool_configuration.allowed_tools'],
  ])('rejects %s', (body, param) => {
    expect(() => deny(body, 'erase')).toThrow(
      expect.objectContaining({ code: 'ambiguous_tools', param }) as Error,
    );
  });

  it('rejects a tool choice with more tools than a request may have, even if the tools are in nested lists', () => {
    const permission = permissionOf({ allowedTools: null, deniedTools: ['erase'] })!;
    const list = (count: number) => Array.from({ length: count }, (_, at) => fn(`tool_${at}`));
    const check = (tools: unknown) => {
      const body = { tool_choice: { type: 'allowed_tools', allowed_tools: { mode: 'auto', tools } } };
      return restrictBody(scanJson(Buffer.from(JSON.stringify(body)), { depthMax: 256 }), permission);
    };
    expect(check(list(4_096))).toEqual([]);
    const nested = Array.from({ length: 3 }, () => ({ type: 'allowed_tools', tools: list(1_500) }));
    for (const tools of [list(4_097), nested])
      expect(() => check(tools)).toThrow(expect.objectContaining({ code: 'too_many_tools' }) as Error);
  });

  it('takes linear time on hostile bodies of 2 MiB', () => {
    const size = 2 * 1024 * 1024;
    const repeat = (text: string) => text.repeat(Math.ceil(size / text.length));
    const deep = (inner: string) => `${`{"${'x'.repeat(16_000)}":`.repeat(120)}${inner}${'}'.repeat(120)}`;
    const bodies = [
      `{"${repeat('_-')}":1}`,
      `{"tools":[${`${JSON.stringify({ ...fn('erase'), description: 'x'.repeat(450) })},`.repeat(4_095)}{"name":"a"}]}`,
      `{"functions":[${`{"name":"erase${'x'.repeat(480)}"},{"name":"a"},`.repeat(2_047)}{"name":"erase"}]}`,
      `{"extra_body":${deep(`[${'{"tools":[{"name":"erase"}]},'.repeat(8_000)}1]`)}}`,
      `{"tools":[{"type":"a${repeat('_20250305')}","name":"b"}]}`,
      `{"messages":[${repeat(`{"a":"${'x'.repeat(60)}"},`)}{}]}`,
    ];
    const permission = permissionOf({ allowedTools: null, deniedTools: ['erase'] })!;
    for (const body of bodies) {
      const tape = scanJson(Buffer.from(body), { depthMax: 256 });
      const run = (): number => {
        const before = process.cpuUsage();
        restrictBody(tape, permission);
        return process.cpuUsage(before).user / 1_000;
      };
      expect(Math.min(run(), run(), run())).toBeLessThan(200);
    }
  });
});
