import { searchTool } from '@gateway/wire-formats';
import { spellType } from './read-tool.ts';
import type { ToolIdentity } from './tool-permission.ts';

type Fields = Readonly<Record<string, unknown>>;

/** A call to a tool that the provider runs. */
export interface ServerCall {
  readonly id: string | undefined;
  readonly name: string;
  readonly identities: readonly ToolIdentity[];
  /** Whether the gateway added the called tool to the request. */
  readonly isGateways: boolean;
}

/**
 * Parses a server tool call in a provider-specific message part. Returns undefined if the message part
 * is not a call to a server tool.
 */
export function identifyServerBlock({ extensions }: { readonly extensions: object }): ServerCall | undefined {
  const block = fieldsOf((extensions as Fields)['messages'])?.['block'];
  const part = partOf(extensions);
  return readMessagesCall(fieldsOf(block)) ?? readConverseCall(part) ?? readGeminiCall(part);
}

/** Whether a message part is the result of a tool call with one of the given ids. */
export function isResultOf(
  { extensions }: { readonly extensions: object },
  ids: ReadonlySet<string>,
): boolean {
  if (ids.size === 0) return false;
  const block = fieldsOf(fieldsOf((extensions as Fields)['messages'])?.['block']);
  const part = partOf(extensions);
  if (part?.['codeExecutionResult'] !== undefined) return ids.has(geminiCallId);
  const id = block?.['tool_use_id'] ?? fieldsOf(part?.['toolResult'])?.['toolUseId'];
  return typeof id === 'string' && ids.has(id);
}

function readMessagesCall(block: Fields | undefined): ServerCall | undefined {
  const type = block?.['type'];
  if (type !== 'server_tool_use' && type !== 'mcp_tool_use') return undefined;
  return renderCall(
    block?.['name'],
    block?.['id'],
    type === 'mcp_tool_use' ? block?.['server_name'] : undefined,
  );
}

function readConverseCall(part: Fields | undefined): ServerCall | undefined {
  const call = fieldsOf(part?.['toolUse']);
  return call === undefined ? undefined : renderCall(call['name'], call['toolUseId'], undefined);
}

/**
 * The id for code that Gemini runs. Gemini runs code without naming a tool, and sends the result directly after
 * the code.
 */
const geminiCallId = 'code';

function readGeminiCall(part: Fields | undefined): ServerCall | undefined {
  return part?.['executableCode'] === undefined
    ? undefined
    : renderCall('code_execution', geminiCallId, undefined);
}

/**
 * Renders a call to a server tool.
 * @param server the name of the MCP server, which is undefined if the tool belongs to no MCP server
 */
function renderCall(name: unknown, id: unknown, server: unknown): ServerCall {
  const called = typeof name === 'string' ? name : '';
  return {
    id: typeof id === 'string' ? id : undefined,
    name: called,
    identities: [
      called === '' ? [] : spellServerTool(called),
      ...(server === undefined ? [] : [['mcp'], [typeof server === 'string' ? server : '']]),
    ],
    isGateways: called === searchTool.name,
  };
}

/**
 * Lists the names under which a server tool is known. Anthropic's code execution uses one name per kind of
 * code that it runs, for example `bash_code_execution`.
 */
function spellServerTool(name: string): ToolIdentity {
  return name.endsWith('_code_execution') ? [name, 'code_execution'] : spellType(name);
}

function partOf(extensions: object): Fields | undefined {
  return Object.values(extensions as Fields)
    .map((members) => fieldsOf(fieldsOf(members)?.['part']))
    .find((part) => part !== undefined);
}

function fieldsOf(value: unknown): Fields | undefined {
  return typeof value === 'object' && value !== null ? (value as Fields) : undefined;
}
