/** Reads a request's tool list, including the tools inside namespaces. */
import { invalidField } from '@gateway/errors';
import { qualifyTool, type ToolDescription, type ToolOutline } from '@gateway/interchange';
import { describeTools, readArray, readExamples } from '../../common/outline-request.ts';
import { examplesField } from '../../common/gateway-fields.ts';
import type { JsonNode, JsonTape } from '../../json/json-tape.ts';

/** A tool that a plan can keep or remove, with its position in the request. */
export interface ToolPlace {
  readonly node: JsonNode;
  /** The name of the namespace that contains the tool. The namespace is undefined for top-level tools. */
  readonly namespace?: string;
}

/** An element of the tool list, which is one tool, or one namespace with its tools. */
export interface ToolElement {
  readonly node: JsonNode;
  /** The JSON array that contains the tools of a namespace. `list` is absent for a single tool. */
  readonly list?: JsonNode;
  readonly tools: readonly ToolPlace[];
}

/**
 * Lists the elements of the tool list. A plan treats each tool of a namespace as a separate tool, because
 * clients put the tools of a whole MCP server into one namespace. A namespace without a name or without tools
 * counts as one tool.
 */
export function listElements(tape: JsonTape): ToolElement[] {
  const list = readArray(tape, 'tools');
  return (list === undefined ? [] : tape.items(list)).map((node): ToolElement => {
    if (tape.kind(node) !== 'object' || readText(tape, node, 'type') !== 'namespace')
      return { node, tools: [{ node }] };
    const [namespace, members] = [readText(tape, node, 'name'), tape.get(node, 'tools')];
    const isList = members !== undefined && tape.kind(members) === 'array';
    const nodes = isList ? tape.items(members) : [];
    const isReadable = nodes.length > 0 && nodes.every((each) => tape.kind(each) === 'object');
    if (namespace === undefined || namespace === '' || !isList || !isReadable)
      return { node, tools: [{ node }] };
    return { node, list: members, tools: nodes.map((each) => ({ node: each, namespace })) };
  });
}

/** @throws GatewayError `invalid_field` for a tool that is not an object. */
export function outlineTools(tape: JsonTape): ToolOutline[] {
  const places = listElements(tape).flatMap(({ tools }) => tools);
  return places.map((place, index) => outlineTool(tape, place, index));
}

function outlineTool(tape: JsonTape, { node, namespace }: ToolPlace, index: number): ToolOutline {
  if (tape.kind(node) !== 'object') throw invalidField(`tools[${index}]`, 'an object');
  const isFunction = readText(tape, node, 'type') === 'function';
  const deferred = tape.get(node, 'defer_loading');
  const isDeferred = deferred !== undefined && tape.value(deferred) === true;
  const name = readText(tape, node, 'name');
  return {
    index,
    name: name === undefined ? undefined : qualifyTool(namespace, name),
    ...(namespace === undefined ? {} : { namespace }),
    builtIn: !isFunction || isDeferred,
    cacheControl: false,
    range: tape.range(node),
  };
}

/** The client's definitions of the given tools, in the given order. */
export function toolDefinitions(tape: JsonTape, tools: readonly ToolOutline[]): ToolDescription[] {
  const nodes = listElements(tape).flatMap(({ tools: places }) => places.map(({ node }) => node));
  return describeTools(
    tape,
    tools,
    (node, { name }) => {
      const parameters = tape.get(node, 'parameters');
      return {
        name: name ?? null,
        description: readText(tape, node, 'description') ?? '',
        parameters: parameters === undefined ? null : tape.value(parameters),
        examples: readExamples(tape, tape.get(node, examplesField)),
      };
    },
    nodes,
  );
}

export function readText(tape: JsonTape, node: JsonNode, member: string): string | undefined {
  if (tape.kind(node) !== 'object') return undefined;
  const value = tape.get(node, member);
  return value === undefined ? undefined : tape.stringValue(value);
}
