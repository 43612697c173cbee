import type { ByteEdit } from '@gateway/interchange';
import { removeMembers, type JsonNode, type JsonTape } from '@gateway/wire-formats';
import { requirePermittedChoice } from './tool-choice.ts';
import {
  ambiguousTools,
  findMembers,
  foldKey,
  governMembers,
  join,
  type Restriction,
} from './tool-members.ts';
import type { ToolPermission } from './tool-permission.ts';
import { restrictList, type RestrictedList, type ToolListPlace } from './tool-list.ts';

/**
 * Fields that contain lists of tools. `plugins` is an OpenRouter field, and `connectors` is a Cohere field.
 * The tools in `plugins` and `connectors` run on the servers of OpenRouter and Cohere.
 */
const lists = ['tools', 'functions', 'additional_tools', 'mcp_servers', 'plugins', 'connectors'] as const;

/** Fields that are only valid together with a tool list, and that are removed together with the tool list. */
const membersOfList: Readonly<Record<string, readonly string[]>> = {
  tools: ['tool_choice', 'parallel_tool_calls'],
  functions: ['function_call'],
};

/**
 * Settings that turn on the provider's own web search. An API key may use these settings only if its tool lists
 * permit OpenAI's tool `web_search`.
 */
const switches = ['web_search_options', 'search_parameters', 'enable_search'] as const;
const switchedTool = 'web_search';

/** Objects with extra fields for the provider. Tools in these objects are checked like tools in the request body. */
const extras = ['additionalModelRequestFields', 'extra_body'] as const;
/** Fields with response schemas or with metadata. Inside a schema or metadata, a property may have any name. */
const schemas: ReadonlySet<string> = new Set(['response_format', 'json_schema', 'schema', 'metadata']);

/**
 * Lists of conversation items in the Responses API. Some providers also read tools from conversation items,
 * for example from `additional_tools`.
 */
const conversations = ['messages', 'input'] as const;

const bodyMembers = governMembers([
  ...[...lists, ...switches, ...extras, ...conversations],
  ...['tool_choice', 'function_call', 'parallel_tool_calls', 'toolConfig', 'prompt', 'promptVariables'],
]);
const configMembers = governMembers(['tools', 'toolChoice']);
const itemMembers = governMembers(['tools', 'functions', 'additional_tools', 'type']);

/**
 * Applies an API key's allow and deny lists to a request body of any API. The function removes every tool that
 * the key may not use. The returned list contains byte edits in ascending order. Returns no edits if the API
 * key may use every tool in the body. The running time is linear in the length of the body.
 * @throws GatewayError `tool_not_allowed` if a tool choice names a tool that the key may not use.
 * @throws GatewayError `ambiguous_tools` if two JSON parsers could read different tools from the body
 */
export function restrictBody(tape: JsonTape, permission: ToolPermission): ByteEdit[] {
  if (tape.kind(tape.root) !== 'object') return [];
  const edits = restrictObject({ tape, permission }, tape.root, '');
  return edits.sort((one, other) => one.start - other.start);
}

function restrictObject(given: Restriction, object: JsonNode, path: string): ByteEdit[] {
  const { tape } = given;
  const members = findMembers(tape, object, bodyMembers, path);
  requireNoStoredPrompt(tape, members, path);
  const removed = new Set<JsonNode | undefined>();
  const inside = [...members].map(([name, node]) => {
    const edits = restrictMember(given, members, { name, node, path: join(path, name) });
    if (edits !== null) return edits;
    for (const member of [name, ...(membersOfList[name] ?? [])]) removed.add(members.get(member));
    return [];
  });
  return [...inside.flat(), ...removeMembers(tape, object, ({ value }) => removed.has(value))];
}

/** Returns the byte edits inside a field, or null if the whole field must be removed. */
function restrictMember(
  given: Restriction,
  members: ReadonlyMap<string, JsonNode>,
  { name, node, path }: ToolListPlace,
): readonly ByteEdit[] | null {
  if (isOneOf(lists, name)) {
    const toolsets = name === 'mcp_servers' ? findToolsets(given, members) : undefined;
    const list = restrictList(given, { name, node, path, toolsets });
    return list.isLeftEmpty ? null : list.edits;
  }
  if (isOneOf(switches, name))
    return isOff(given.tape, node) || given.permission.permits(switchedTool) ? [] : null;
  if (isOneOf(extras, name)) return restrictExtras(given, node, path);
  if (isOneOf(conversations, name)) return restrictItems(given, node, path);
  if (name === 'toolConfig') {
    const config = restrictConfig(given, node, path);
    return config.isLeftEmpty ? null : config.edits;
  }
  if (name === 'tool_choice' || name === 'function_call') requirePermittedChoice(given, node, path);
  return [];
}

/** The gateway rejects a stored prompt, because the prompt can add tools that are not in the request. */
function requireNoStoredPrompt(tape: JsonTape, members: ReadonlyMap<string, JsonNode>, path: string): void {
  const prompt = members.get('prompt');
  const isStored = prompt !== undefined && tape.kind(prompt) === 'object';
  if (!isStored && !members.has('promptVariables')) return;
  const name = isStored ? 'prompt' : 'promptVariables';
  throw ambiguousTools(
    join(path, name),
    'uses a stored prompt, which may have tools of its own. Send its text instead.',
  );
}

/** Returns the MCP servers with individually listed tools in the field `tools` (Anthropic's `mcp_toolset`). */
function findToolsets({ tape }: Restriction, members: ReadonlyMap<string, JsonNode>): ReadonlySet<string> {
  const tools = members.get('tools');
  if (tools === undefined) return new Set();
  return new Set(tape.items(tools).flatMap((tool) => readToolset(tape, tool)));
}

function readToolset(tape: JsonTape, tool: JsonNode): string[] {
  const type = tape.get(tool, 'type');
  if (type === undefined || !tape.isString(type, 'mcp_toolset')) return [];
  return [tape.stringValue(tape.get(tool, 'mcp_server_name')) ?? []].flat();
}

function isOff(tape: JsonTape, node: JsonNode): boolean {
  return tape.kind(node) === 'boolean' && tape.value(node) === false;
}

/** Restricts the tools in `toolConfig`, a field of the Converse API. */
function restrictConfig(given: Restriction, config: JsonNode, path: string): RestrictedList {
  const members = findMembers(given.tape, config, configMembers, path);
  const choice = members.get('toolChoice');
  if (choice !== undefined) requirePermittedChoice(given, choice, join(path, 'toolChoice'));
  const tools = members.get('tools');
  return tools === undefined
    ? { edits: [], isLeftEmpty: false }
    : restrictList(given, { name: 'tools', node: tools, path: join(path, 'tools') });
}

function restrictExtras(given: Restriction, node: JsonNode, path: string): ByteEdit[] {
  const { tape } = given;
  if (tape.kind(node) === 'array')
    return tape.items(node).flatMap((item, index) => restrictExtras(given, item, join(path, index)));
  if (tape.kind(node) !== 'object') return [];
  const inner = tape.entries(node).flatMap(({ key, value }) => {
    const name = tape.stringValue(key) ?? '';
    const isGoverned = bodyMembers.get(foldKey(name)) !== undefined || schemas.has(name);
    return isGoverned ? [] : restrictExtras(given, value, join(path, name));
  });
  return [...restrictObject(given, node, path), ...inner];
}

/**
 * Restricts the tool lists inside a conversation item. If a tool list becomes empty, it is kept, because the
 * type of the item may require the field.
 */
function restrictItems(given: Restriction, node: JsonNode, path: string): ByteEdit[] {
  const { tape } = given;
  return tape.items(node).flatMap((item, index) => {
    if (tape.kind(item) !== 'object') return [];
    const at = join(path, index);
    return [...findMembers(tape, item, itemMembers, at)].flatMap(([name, list]) =>
      isOneOf(lists, name) ? restrictList(given, { name, node: list, path: join(at, name) }).edits : [],
    );
  });
}

function isOneOf<Name extends string>(names: readonly Name[], name: string): name is Name {
  return (names as readonly string[]).includes(name);
}
