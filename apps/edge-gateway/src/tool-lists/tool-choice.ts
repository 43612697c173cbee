import { GatewayError } from '@gateway/errors';
import type { JsonNode } from '@gateway/wire-formats';
import {
  ambiguousTools,
  findMembers,
  governMembers,
  join,
  quote,
  toolsMax,
  type Restriction,
} from './tool-members.ts';
import { readText, spellType } from './read-tool.ts';
import type { ToolIdentity } from './tool-permission.ts';

/** Settings of a tool choice, in any API, that name no tool. */
const modes: ReadonlySet<string> = new Set(['auto', 'any', 'none', 'required', 'validated']);
/** Types of a tool choice that describe how the choice names a tool. Any other type is the name of the tool itself. */
const kinds: ReadonlySet<string> = new Set([...modes, 'tool', 'function', 'custom', 'allowed_tools']);

const bodies = ['function', 'custom', 'tool', 'allowed_tools'] as const;
const choiceMembers = governMembers([...bodies, 'type', 'mode', 'name', 'tools', 'server_label']);

/**
 * Checks that a tool choice, in any format, names only tools that the API key may use.
 * @throws GatewayError `tool_not_allowed` if the choice names a forbidden tool, or `ambiguous_tools` if it is not
 * clear which tool the choice names
 */
export function requirePermittedChoice(
  given: Restriction,
  node: JsonNode,
  path: string,
  listed = { count: 0 },
): void {
  const { tape, permission } = given;
  if (tape.kind(node) === 'string') {
    const mode = readText(tape, node, path);
    if (!modes.has(mode)) requirePermitted(given, [[mode]], path);
    return;
  }
  if (tape.kind(node) !== 'object') throw ambiguousTools(path, 'is neither a string nor an object.');
  const members = findMembers(tape, node, choiceMembers, path);
  const named = [...bodies].filter((body) => members.has(body));
  if (named.length > 1)
    throw ambiguousTools(
      join(path, named[1] ?? ''),
      `stands next to ${quote(named[0] ?? '')}. Send one of them.`,
    );
  const texts = ['type', 'name', 'server_label'].flatMap((name) => {
    const value = members.get(name);
    return value === undefined ? [] : [{ name, text: readText(tape, value, join(path, name)) }];
  });
  const identities = texts.flatMap(({ name, text }): ToolIdentity[] => {
    if (name !== 'type') return [[text]];
    return kinds.has(text) ? [] : [spellType(text)];
  });
  if (!permission.permitsAll(identities)) requirePermitted(given, identities, path);
  for (const body of named) requirePermittedBody(given, members.get(body), join(path, body), listed);
  const tools = members.get('tools');
  if (tools !== undefined) requirePermittedList(given, tools, join(path, 'tools'), listed);
}

function requirePermittedList(
  given: Restriction,
  tools: JsonNode,
  path: string,
  listed: { count: number },
): void {
  const items = given.tape.items(tools);
  listed.count += items.length;
  if (listed.count > toolsMax) throw new GatewayError('too_many_tools', { param: path });
  items.forEach((tool, index) => requirePermittedChoice(given, tool, join(path, index), listed));
}

function requirePermittedBody(
  given: Restriction,
  body: JsonNode | undefined,
  path: string,
  listed: { count: number },
): void {
  if (body === undefined) return;
  if (given.tape.kind(body) !== 'object') throw ambiguousTools(path, 'is not an object.');
  requirePermittedChoice(given, body, path, listed);
}

function requirePermitted(
  { permission }: Restriction,
  identities: readonly ToolIdentity[],
  path: string,
): void {
  const forced = identities.find((identity) => !permission.permitsAll([identity]));
  if (forced === undefined) return;
  // The error names a field of the request body, even if the problem is in a nested field of the tool choice.
  const param = /^[^.[]*(\.toolChoice)?/.exec(path)?.[0] ?? path;
  const message = `${param} names the tool ${quote(forced[0] ?? '')}, which this API key may not use.`;
  throw new GatewayError('tool_not_allowed', { param, message });
}
