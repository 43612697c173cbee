import { defineTool, indexTools, planRequest } from '../tool-index/tools.fixture.ts';
import { findCoreTools, findPinned } from './always-in.ts';

const namesOf = (names: readonly string[]): string[] =>
  findCoreTools(indexTools(names)).map((position) => names[position]!);
const others = [
  'get_weather',
  'create_issue',
  'mcp__files__read_file',
  'list_pull_requests',
  'tool_inventory',
];

describe('core tools', () => {
  it.each([
    ['Claude Code', ['Bash', 'Read', 'Edit', 'MultiEdit', 'Write']],
    ['opencode and kilo', ['bash', 'edit', 'read', 'write']],
    ['qwen-code', ['run_shell_command', 'read_file', 'write_file', 'edit']],
    ['cline', ['run_commands', 'read_files', 'editor']],
    ['codex', ['exec_command', 'apply_patch']],
    ['strands', ['bash', 'file_editor']],
  ])('the shell, read, write and edit tools of %s are core tools', (_agent, core) => {
    expect(namesOf([...others, ...core]).sort()).toEqual([...core].sort());
  });

  it.each(['read_file', 'bash', 'edit'])('%s alone does not make a list an agent’s loop', (name) => {
    expect(namesOf([...others, name])).toEqual([]);
  });

  const server = ['read_file', 'write_file', 'edit_file', 'list_allowed_directories'];
  it.each([
    ['Continue', ['Read', 'Write', 'Bash', 'MultiEdit']],
    ['opencode', ['bash', 'edit', 'read', 'write']],
  ])('the tools of an MCP server for files are not core tools of %s', (_agent, core) => {
    for (const list of [
      [...core, ...server],
      [...server, ...core],
    ])
      expect(namesOf(list).sort()).toEqual([...core].sort());
  });

  it.each([
    ['Qwen Code', ['run_shell_command', 'read_file', 'write_file', 'edit', 'edit_file']],
    ['Cursor', ['run_terminal_cmd', 'read_file', 'edit_file', 'search_replace']],
    ['an agent with a plain shell', ['bash', 'read_file', 'write_file', 'edit_file']],
    ['an agent without a shell', ['read_file', 'write_file', 'apply_patch']],
  ])('%s keeps its own tools with the names of an MCP server', (_agent, core) => {
    expect(namesOf([...others, ...core])).toEqual(core);
  });

  it('a list of an MCP server for files is not an agent’s loop', () => {
    expect(namesOf([...others, ...server])).toEqual([]);
  });

  it('tools that reach other tools are core tools in every list', () => {
    const reaching = ['tool_search', 'tool_call', 'ToolSearch', 'use_mcp_tool', 'mcp__hub__search_tools'];
    expect(namesOf([...others, ...reaching])).toEqual(reaching);
  });

  it('a list has at most 16 core tools', () => {
    const many = Array.from({ length: 100 }, (_, at) => `mcp__server${at}__call_tool`);
    expect(namesOf(many)).toHaveLength(16);
  });

  it('core tools and the tools that the instructions name are pinned, each with its reason', () => {
    const index = indexTools([...others, 'bash', 'edit', defineTool(null)]);
    const pinned = findPinned(planRequest({ systemTools: [1, 5, 99] }), index);
    expect([...pinned].sort(([one], [other]) => one - other)).toEqual([
      [1, 'system_prompt'],
      [5, 'core'],
      [6, 'core'],
      [7, 'built_in'],
    ]);
  });

  it('gateways of the previous release get a reason that they know', () => {
    const pinned = findPinned(planRequest({}), indexTools(['bash', 'edit']));
    expect([...pinned.values()]).toEqual(['mentioned', 'mentioned']);
  });
});
