import type { Extensions } from '@gateway/interchange';
import { spellType } from './read-tool.ts';
import type { ToolIdentity, ToolPermission } from './tool-permission.ts';

export type Fields = Readonly<Record<string, unknown>>;

export function isFields(value: unknown): value is Fields {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

export const text = (value: unknown): string => (typeof value === 'string' ? value : '');

/** The tool that an output item of the Responses API calls. Only output items with a tool call have this object. */
interface ItemCall {
  readonly name: string;
  readonly identities: readonly ToolIdentity[];
}

/** Types of output items that call a function of the client. */
const functionCalls: ReadonlySet<string> = new Set(['function_call', 'custom_tool_call']);

/** Matches the types of output items for calls to built-in tools, and for the results of these calls. */
const builtInCall = /^(?<tool>[a-z_]+?)_call(_output)?$|^(?<search>tool_search)_output$/;

function identifyItem(item: Fields): ItemCall | undefined {
  const type = text(item['type']);
  if (functionCalls.has(type)) {
    const name = text(item['name']);
    return { name, identities: [name === '' ? [] : [name]] };
  }
  if (type.startsWith('mcp_')) {
    const name = text(item['name']);
    const server = text(item['server_label']);
    return { name: name || 'mcp', identities: [['mcp'], [server], ...(name === '' ? [] : [[name]])] };
  }
  const groups = builtInCall.exec(type)?.groups;
  const tool = groups?.['tool'] ?? groups?.['search'];
  if (tool === undefined || tool === 'function' || tool === 'custom_tool') return undefined;
  return { name: tool, identities: [spellType(tool)] };
}

/** Returns the name of the denied tool that an output item calls, or undefined if the client may receive the item. */
export function findDeniedItem(item: unknown, permission: ToolPermission): string | undefined {
  if (!isFields(item)) return undefined;
  const call = identifyItem(item);
  if (call === undefined) return undefined;
  const namespace = text(item['namespace']);
  const isPermitted = permission.permitsAll(call.identities) && !permission.denies(namespace);
  return isPermitted ? undefined : call.name;
}

/**
 * Whether the output item is read or executed by the client. Returns false for reasoning items, and true for
 * all other items.
 */
export function isContent(item: unknown): boolean {
  return isFields(item) && item['type'] !== 'reasoning';
}

/** Returns whether a part of a response is a whole reasoning item, which has no text. */
export function isReasoningPart({ extensions }: { readonly extensions?: Extensions }): boolean {
  const item = extensions?.['responses']?.['rawItem'];
  return isFields(item) && !isContent(item);
}
