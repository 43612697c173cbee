import type { JsonNode, JsonTape } from '@gateway/wire-formats';
import { ambiguousTools, findMembers, governMembers, join, quote } from './tool-members.ts';
import type { ToolIdentity } from './tool-permission.ts';

/** Objects inside a tool or a tool choice that contain the tool's name. */
const bodyMembers = ['function', 'custom', 'toolSpec', 'systemTool', 'tool'] as const;

const toolMembers = governMembers([
  ...bodyMembers,
  ...['type', 'name', 'tools', 'allowed_tools', 'cachePoint'],
  ...['server_label', 'mcp_server_name', 'tool_configuration', 'default_config', 'configs'],
]);
const nameMember = governMembers(['name']);

/** Types that describe how a tool is called. Any other type is the name of the tool itself. */
const kinds: ReadonlySet<string> = new Set(['function', 'custom', 'namespace', 'mcp', 'mcp_toolset']);

/** Anthropic's tools that have different names in different versions. */
const otherNames: Readonly<Record<string, readonly string[]>> = {
  text_editor: ['str_replace_editor', 'str_replace_based_edit_tool'],
  computer: ['computer_use', 'computer_use_preview'],
};

/** One element of a tool list. */
export interface ReadTool {
  readonly node: JsonNode;
  readonly path: string;
  readonly type: string | undefined;
  readonly name: string | undefined;
  readonly members: ReadonlyMap<string, JsonNode>;
  /**
   * The names under which the tool is known. A cache point and a namespace have no names. Each tool of a
   * namespace is checked individually.
   */
  readonly identities: readonly ToolIdentity[];
}

/**
 * Reads one element of a tool list.
 * @throws GatewayError `ambiguous_tools` if the element has no name, two names, or a name that is not a
 * string
 */
export function readTool(tape: JsonTape, node: JsonNode, path: string): ReadTool {
  if (tape.kind(node) === 'string') {
    const name = readText(tape, node, path);
    return { node, path, type: undefined, name, members: new Map(), identities: [[name]] };
  }
  if (tape.kind(node) !== 'object') throw ambiguousTools(path, 'is not an object. Send one object per tool.');
  const members = findMembers(tape, node, toolMembers, path);
  const type = readOptional(tape, members.get('type'), join(path, 'type'));
  const name = readName(tape, members, path);
  if (members.has('cachePoint') && members.size === 1)
    return { node, path, type, name, members, identities: [] };
  return { node, path, type, name, members, identities: identify({ type, name, members, path }, tape) };
}

function identify(
  { type, name, members, path }: Pick<ReadTool, 'type' | 'name' | 'members' | 'path'>,
  tape: JsonTape,
): readonly ToolIdentity[] {
  if (type === 'namespace') return [];
  if (type === 'mcp' || type === 'mcp_toolset') {
    const labelMember = type === 'mcp' ? 'server_label' : 'mcp_server_name';
    const label = readOptional(tape, members.get(labelMember), join(path, labelMember));
    if (label === undefined)
      throw ambiguousTools(join(path, labelMember), 'is missing. Name the MCP server.');
    return [['mcp'], [label], ...(name === undefined ? [] : [[name]])];
  }
  if (type === undefined || kinds.has(type)) {
    if (name === undefined) throw ambiguousTools(path, 'is a tool without a name. Send its name.');
    return [[name]];
  }
  const spellings = spellType(type);
  if (name === undefined) return [spellings];
  return spellings.includes(name) ? [[name, ...spellings]] : [[name], spellings];
}

/**
 * Lists the names of a built-in tool, which are its type with and without the version. Anthropic uses dates as
 * versions (`web_search_20250305`). OpenAI uses dates, the word `preview`, or both (`web_search_preview_2025_03_11`).
 */
export function spellType(type: string): string[] {
  const undated = type.replace(/_\d{8}$|_\d{4}_\d{2}_\d{2}$/, '');
  const base = undated.replace(/[_-]preview$/, '');
  const other = Object.entries(otherNames).find(([name, names]) => name === base || names.includes(base));
  return [...new Set([type, undated, base, ...(other === undefined ? [] : [other[0], ...other[1]])])];
}

function readName(tape: JsonTape, members: ReadonlyMap<string, JsonNode>, path: string): string | undefined {
  const [bodyMember, second] = bodyMembers.filter((member) => members.has(member));
  if (second !== undefined)
    throw ambiguousTools(join(path, second), `stands next to ${quote(bodyMember ?? '')}. Send one of them.`);
  const own = readOptional(tape, members.get('name'), join(path, 'name'));
  const body = bodyMember === undefined ? undefined : members.get(bodyMember);
  if (bodyMember === undefined || body === undefined) return own;
  const bodyPath = join(path, bodyMember);
  if (tape.kind(body) !== 'object') throw ambiguousTools(bodyPath, 'is not an object.');
  const inner = findMembers(tape, body, nameMember, bodyPath).get('name');
  const named = readOptional(tape, inner, join(bodyPath, 'name'));
  if (own !== undefined && named !== undefined && own !== named)
    throw ambiguousTools(path, `has two names, ${quote(own)} and ${quote(named)}. Send one name.`);
  return named ?? own;
}

/** Treats an empty name as missing, because some parsers do not distinguish empty and missing names. */
function readOptional(tape: JsonTape, node: JsonNode | undefined, path: string): string | undefined {
  if (node === undefined || tape.kind(node) === 'null') return undefined;
  const text = readText(tape, node, path);
  return text === '' ? undefined : text;
}

/**
 * Reads a tool's name.
 * @throws GatewayError `ambiguous_tools` unless the field contains a string that all parsers read in the same way
 */
export function readText(tape: JsonTape, node: JsonNode, path: string): string {
  const text = tape.stringValue(node);
  if (text === undefined) throw ambiguousTools(path, 'is not a string.');
  if (!text.isWellFormed() || text.includes('\0'))
    throw ambiguousTools(path, 'has a character that parsers read in different ways. Remove it.');
  return text;
}
