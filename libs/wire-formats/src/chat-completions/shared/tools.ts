import type { ChatTool, JsonObject, ToolCallPart, ToolChoice, ToolGrammar } from '@gateway/interchange';
import type { JsonNode, JsonTape } from '../../json/json-tape.ts';
import { listCustom } from '../../common/tool-names.ts';
import { asObject, asText, isObject, optional, otherMembers } from '../../json/read-members.ts';
import { readOwn, withOwn } from './own-members.ts';

/**
 * Fields that mark the end of a cacheable prefix. `cache_control` is Anthropic's field, which resellers of
 * Anthropic's models also accept. `prompt_cache_breakpoint` is OpenAI's field.
 */
const cacheMarkers = ['cache_control', 'prompt_cache_breakpoint'] as const;

/**
 * The `function` or `custom` object inside a tool, a tool call or a tool choice. Returns undefined for
 * built-in tools.
 */
export function findBody(tape: JsonTape, node: JsonNode): JsonNode | undefined {
  const body = tape.get(node, 'function') ?? tape.get(node, 'custom');
  return body !== undefined && tape.kind(body) === 'object' ? body : undefined;
}

/** The tool name in a tool, a tool call or a tool choice. */
export function readName(tape: JsonTape, node: JsonNode): string | undefined {
  return tape.stringValue(tape.get(findBody(tape, node) ?? node, 'name'));
}

export function hasCacheMarker(tape: JsonTape, node: JsonNode): boolean {
  for (const name of cacheMarkers) {
    const marker = tape.get(node, name);
    if (marker !== undefined && tape.kind(marker) !== 'null') return true;
  }
  return false;
}

/** A tool call in the chat completions format, either complete or one streamed delta. */
export interface RawToolCall {
  readonly id: string | undefined;
  readonly name: string | undefined;
  readonly kind: 'function' | 'custom';
  readonly argumentsText: string;
  readonly signature: string | undefined;
  /** Tool call fields that only the chat completions format defines. */
  readonly own: JsonObject;
}

/** Reads a complete tool call or one delta. Arguments sent as an object are converted to JSON text. */
export function readToolCall(raw: JsonObject): RawToolCall {
  const kind =
    raw.type === 'custom' || (!isObject(raw.function) && isObject(raw.custom)) ? 'custom' : 'function';
  const body = asObject(raw[kind]) ?? {};
  const given = kind === 'custom' ? body.input : body.arguments;
  const rest = otherMembers(raw, ['id', 'type', kind]);
  const bodyRest = otherMembers(body, ['name', kind === 'custom' ? 'input' : 'arguments']);
  return {
    id: asText(raw.id),
    name: asText(body.name),
    kind,
    argumentsText: isObject(given) ? JSON.stringify(given) : (asText(given) ?? ''),
    signature: asText(asObject(asObject(raw.extra_content)?.google)?.thought_signature),
    own: { ...rest, ...optional(kind, bodyRest) },
  };
}

/** Parses a tool call from a complete message. */
export function parseToolCall(raw: JsonObject): ToolCallPart {
  const { id, name, kind, argumentsText, signature, own } = readToolCall(raw);
  return {
    type: 'tool-call',
    id: id ?? '',
    name: name ?? '',
    kind,
    argumentsText,
    ...optional('signature', signature),
    ...withOwn(own),
  };
}

/** Google's OpenAI-compatible endpoint sends and accepts the reasoning signature in `thought_signature`. */
function renderSignature(signature: string | undefined): JsonObject {
  return signature === undefined ? {} : { extra_content: { google: { thought_signature: signature } } };
}

export function renderToolCall(call: Omit<ToolCallPart, 'type'>): JsonObject {
  const own = readOwn(call);
  const body = { ...asObject(own[call.kind]), name: call.name };
  const argumentsMember = call.kind === 'custom' ? 'input' : 'arguments';
  return {
    ...renderSignature(call.signature),
    ...own,
    id: call.id,
    type: call.kind,
    [call.kind]: { ...body, [argumentsMember]: call.argumentsText },
  };
}

/** Parses the `format` of a custom tool. Returns undefined if the format is not a grammar with all its fields. */
export function parseGrammar(raw: unknown): ToolGrammar | undefined {
  const format = asObject(raw);
  const { syntax, definition, ...rest } = asObject(format?.grammar) ?? {};
  const isWhole = Object.keys(rest).length === 0 && Object.keys(format ?? {}).length === 2;
  return format?.type === 'grammar' && isWhole && typeof syntax === 'string' && typeof definition === 'string'
    ? { syntax, definition }
    : undefined;
}

/** Renders the field `tool_choice`. Returns undefined if the client did not set a tool choice. */
export function renderToolChoice(
  choice: ToolChoice,
  tools: readonly ChatTool[],
): string | JsonObject | undefined {
  switch (choice.mode) {
    case 'unset':
      return undefined;
    case 'auto':
    case 'none':
    case 'required':
      return choice.mode;
    case 'tool':
      return renderNamed(choice.name, listCustom(tools));
    case 'allowed': {
      const custom = listCustom(tools);
      const allowed = choice.names.map((name) => renderNamed(name, custom));
      const mode = choice.required === true ? 'required' : 'auto';
      return { type: 'allowed_tools', allowed_tools: { mode, tools: allowed } };
    }
  }
}

function renderNamed(name: string, custom: ReadonlySet<string>): JsonObject {
  return custom.has(name) ? { type: 'custom', custom: { name } } : { type: 'function', function: { name } };
}
