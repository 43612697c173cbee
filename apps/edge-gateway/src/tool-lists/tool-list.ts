import { GatewayError } from '@gateway/errors';
import type { ByteEdit } from '@gateway/interchange';
import { removeItems, removeMembers, type JsonNode } from '@gateway/wire-formats';
import { readText, readTool, type ReadTool } from './read-tool.ts';
import {
  ambiguousTools,
  findMembers,
  governMembers,
  join,
  toolsMax,
  type Restriction,
} from './tool-members.ts';

export interface RestrictedList {
  readonly edits: readonly ByteEdit[];
  /** Whether all tools were removed from a list that had tools. */
  readonly isLeftEmpty: boolean;
}

/** The position of a tool list in a request. */
export interface ToolListPlace {
  /** The name of the field that contains the tool list. */
  readonly name: string;
  readonly node: JsonNode;
  /** The path of the tool list, used in errors. */
  readonly path: string;
  /** Names of the MCP servers with tools that are listed elsewhere in the request. */
  readonly toolsets?: ReadonlySet<string> | undefined;
}

/**
 * Removes from a list the tools that the API key may not use.
 * @throws GatewayError `ambiguous_tools` for a tool without a clear name, or `too_many_tools` for a list that
 * is too long
 */
export function restrictList(
  given: Restriction,
  { name, node, path, toolsets }: ToolListPlace,
): RestrictedList {
  const { tape } = given;
  if (tape.kind(node) !== 'array') throw ambiguousTools(path, 'is not an array. Send a list of tools.');
  const items = tape.items(node);
  if (items.length > toolsMax) throw new GatewayError('too_many_tools', { param: path });
  let kept = 0;
  const judged = items.map((item, index) => {
    const at = join(path, index);
    const tool = serverLists.has(name)
      ? readServer(given, item, at, name === 'mcp_servers')
      : readTool(tape, item, at);
    const isPoint = tool.identities.length === 0 && tool.type === undefined;
    // A cache point marks the tools before it, so the gateway keeps it only if a tool before it is kept.
    if (isPoint) return kept > 0 ? [] : null;
    const edits = restrictTool(given, tool, toolsets);
    if (edits !== null) kept += 1;
    return edits;
  });
  const isLeftEmpty = items.length > 0 && kept === 0;
  const inside = judged.flatMap((edits) => edits ?? []);
  return { edits: [...removeItems(tape, node, (index) => judged[index] !== null), ...inside], isLeftEmpty };
}

/** Returns the byte edits inside a tool, or null if the API key may not use the tool. */
function restrictTool(
  given: Restriction,
  tool: ReadTool,
  toolsets: ReadonlySet<string> | undefined,
): readonly ByteEdit[] | null {
  const { permission } = given;
  if (!permission.permitsAll(tool.identities)) return null;
  switch (tool.type) {
    case 'namespace':
      return restrictNamespace(given, tool);
    case 'mcp':
      return restrictNames(given, tool, tool.members.get('allowed_tools'), 'allowed_tools');
    case 'mcp_toolset':
      return restrictToolset(given, tool);
    case serverType:
      return restrictServer(given, tool, toolsets);
    default:
      return [];
  }
}

function restrictNamespace(
  given: Restriction,
  { name, members, path }: ReadTool,
): readonly ByteEdit[] | null {
  if (name !== undefined && given.permission.denies(name)) return null;
  const tools = members.get('tools');
  if (tools === undefined)
    throw ambiguousTools(join(path, 'tools'), 'is missing. List the tools of the namespace.');
  const list = restrictList(given, { name: 'tools', node: tools, path: join(path, 'tools') });
  return list.isLeftEmpty ? null : list.edits;
}

/** Fields that contain lists of MCP servers and plugins. The name of each entry is in its field `name` or `id`. */
const serverLists: ReadonlySet<string> = new Set(['mcp_servers', 'plugins', 'connectors']);
const serverType = 'mcp_server';
const serverMembers = governMembers(['name', 'id', 'tool_configuration']);

function readServer({ tape }: Restriction, node: JsonNode, path: string, isServer: boolean): ReadTool {
  if (tape.kind(node) !== 'object') throw ambiguousTools(path, 'is not an object.');
  const members = findMembers(tape, node, serverMembers, path);
  const named = members.get('name') ?? (isServer ? undefined : members.get('id'));
  if (named === undefined) throw ambiguousTools(join(path, 'name'), 'is missing.');
  const name = readText(tape, named, join(path, 'name'));
  return {
    ...{ node, path, name, members },
    type: isServer ? serverType : undefined,
    identities: isServer ? [['mcp'], [name]] : [[name]],
  };
}

const configurationMembers = governMembers(['allowed_tools', 'enabled']);

function restrictServer(
  given: Restriction,
  server: ReadTool,
  toolsets: ReadonlySet<string> | undefined,
): readonly ByteEdit[] | null {
  const { name, members, path } = server;
  const configuration = members.get('tool_configuration');
  if (configuration === undefined && name !== undefined && toolsets?.has(name) === true) return [];
  const at = join(path, 'tool_configuration');
  const listed =
    configuration === undefined
      ? undefined
      : findMembers(given.tape, configuration, configurationMembers, at).get('allowed_tools');
  return restrictNames(given, server, listed, 'tool_configuration.allowed_tools');
}

const namesMember = governMembers(['tool_names']);

/**
 * Restricts the tools of an MCP server by name. The provider runs the tools of an MCP server. A denied tool would
 * run if the request did not restrict the server's tools.
 */
function restrictNames(
  given: Restriction,
  { path }: ReadTool,
  listed: JsonNode | undefined,
  member: string,
): readonly ByteEdit[] | null {
  const { tape, permission } = given;
  const at = join(path, member);
  const names =
    listed !== undefined && tape.kind(listed) === 'object'
      ? findMembers(tape, listed, namesMember, at).get('tool_names')
      : listed;
  if (names === undefined || tape.kind(names) !== 'array') throw ambiguousTools(at, listServerTools);
  const items = tape.items(names);
  const keeps = items.map((item, index) => permission.permits(readText(tape, item, join(at, index))));
  return keeps.includes(true) ? removeItems(tape, names, (index) => keeps[index] === true) : null;
}

const listServerTools = 'does not list the names of the tools. Name each tool of the MCP server to use.';

const toolsetMembers = governMembers(['enabled']);

function restrictToolset(given: Restriction, { members, path }: ReadTool): readonly ByteEdit[] | null {
  const { tape, permission } = given;
  const defaults = members.get('default_config');
  const at = join(path, 'default_config');
  const enabled = defaults && findMembers(tape, defaults, toolsetMembers, at).get('enabled');
  const configs = members.get('configs');
  const isClosed = enabled !== undefined && tape.kind(enabled) === 'boolean' && tape.value(enabled) === false;
  if (!isClosed || configs === undefined || tape.kind(configs) !== 'object')
    throw ambiguousTools(
      join(at, 'enabled'),
      'is not false. Disable the tools by default, and enable those to use by name in "configs".',
    );
  const named = tape.entries(configs).map(({ key }) => readText(tape, key, join(path, 'configs')));
  if (new Set(named).size < named.length)
    throw ambiguousTools(join(path, 'configs'), 'names a tool twice. Name it once.');
  if (!named.some((name) => permission.permits(name))) return null;
  return removeMembers(tape, configs, ({ key }) => !permission.permits(tape.stringValue(key) ?? ''));
}
