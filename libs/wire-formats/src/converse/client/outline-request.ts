import { invalidField, missingField, unknownField } from '@gateway/errors';
import type {
  MessageOutline,
  MessageRole,
  RequestOutline,
  ToolCallOutline,
  ToolChoice,
  ToolOutline,
} from '@gateway/interchange';
import type { RequestRoute } from '../../common/format.ts';
import type { JsonNode, JsonTape } from '../../json/json-tape.ts';
import { invalidBody, modelCharactersMax, outlineTexts } from '../../common/outline-request.ts';

/**
 * The fields of a Converse request, from `ConverseRequest` and `ConverseStreamRequest` in the AWS SDK. A test
 * compares the list of fields with the SDK. `modelId` belongs in the URL but is also accepted in the body.
 */
export const requestFields = [
  'modelId',
  'messages',
  'system',
  'inferenceConfig',
  'toolConfig',
  'guardrailConfig',
  'additionalModelRequestFields',
  'promptVariables',
  'additionalModelResponseFieldPaths',
  'requestMetadata',
  'performanceConfig',
  'serviceTier',
  'outputConfig',
] as const;

/**
 * Maximum number of messages per request, far more than any model's context can contain. Each message costs a
 * few microseconds and a few hundred bytes of memory.
 */
const messagesMax = 32_768;

/**
 * Outlines a Converse request. Unknown fields in the body are rejected. The gateway validates only the values
 * that it uses. The provider validates all other values.
 * @throws GatewayError `missing_field`, `invalid_field` or `unknown_field`, with the name of the field as
 * `param`.
 */
export function outlineRequest(tape: JsonTape, route?: RequestRoute): RequestOutline {
  if (tape.kind(tape.root) !== 'object') throw invalidBody();
  if (route === undefined || route.model === '') throw missingField('modelId');
  if (route.model.length > modelCharactersMax) throw invalidField('modelId', 'a model name');
  refuseUnknown(tape);
  const toolConfig = readMember(tape, tape.root, 'toolConfig', 'object');
  const toolsNode = toolConfig && readMember(tape, toolConfig, 'tools', 'array', 'toolConfig.');
  const choice = toolConfig && readMember(tape, toolConfig, 'toolChoice', 'object', 'toolConfig.');
  const system = readMember(tape, tape.root, 'system', 'array');
  const maxOutputTokens = readMaxTokens(tape);
  return {
    format: 'converse',
    model: route.model,
    stream: route.stream,
    tools: toolsNode === undefined ? [] : outlineTools(tape, toolsNode),
    toolsRange: toolsNode === undefined ? undefined : tape.range(toolsNode),
    toolChoice: outlineToolChoice(tape, choice),
    messages: readMessages(tape).map((message, index) => outlineMessage(tape, message, index)),
    ...(system === undefined ? {} : { system: outlineSystem(tape, system) }),
    ...(maxOutputTokens === undefined ? {} : { maxOutputTokens }),
  };
}

const known: ReadonlySet<string> = new Set(requestFields);

function refuseUnknown(tape: JsonTape): void {
  for (const { key } of tape.entries(tape.root)) {
    const name = tape.stringValue(key) ?? '';
    if (known.has(name)) continue;
    throw unknownField(name.slice(0, 100));
  }
}

/** Returns a field of the body. Returns undefined for a field that is absent or null. */
function readMember(
  tape: JsonTape,
  object: JsonNode,
  name: string,
  kind: 'object' | 'array',
  path = '',
): JsonNode | undefined {
  const node = tape.get(object, name);
  if (node === undefined || tape.kind(node) === 'null') return undefined;
  if (tape.kind(node) !== kind) throw invalidField(path + name, kind === 'array' ? 'an array' : 'an object');
  return node;
}

/** `messages` is optional, because a stored prompt contains its own messages. */
function readMessages(tape: JsonTape): JsonNode[] {
  const node = readMember(tape, tape.root, 'messages', 'array');
  const messages = node === undefined ? [] : tape.items(node);
  if (messages.length > messagesMax)
    throw invalidField('messages', `a list of at most ${messagesMax} messages`);
  return messages;
}

function readMaxTokens(tape: JsonTape): number | undefined {
  const config = readMember(tape, tape.root, 'inferenceConfig', 'object');
  const node = config && tape.get(config, 'maxTokens');
  return node !== undefined && tape.kind(node) === 'number' ? Number(tape.value(node)) : undefined;
}

/** An unknown tool choice is treated as `auto`, because the provider validates it. */
export function outlineToolChoice(tape: JsonTape, choice: JsonNode | undefined): ToolChoice {
  if (choice === undefined) return { mode: 'unset' };
  const tool = tape.get(choice, 'tool');
  const name = tool === undefined ? undefined : tape.stringValue(tape.get(tool, 'name'));
  if (name !== undefined) return { mode: 'tool', name };
  return { mode: tape.get(choice, 'any') === undefined ? 'auto' : 'required' };
}

/**
 * Outlines the elements of `toolConfig.tools`. A cache point is also an element of the tool list. A cache
 * point in the tool list has no name and marks the preceding tool.
 * @throws GatewayError if an element is not an object.
 */
function outlineTools(tape: JsonTape, tools: JsonNode): ToolOutline[] {
  const nodes = tape.items(tools);
  return nodes.map((node, index) => {
    if (tape.kind(node) !== 'object') throw invalidField(`toolConfig.tools[${index}]`, 'an object');
    const spec = tape.get(node, 'toolSpec');
    const body = spec ?? tape.get(node, 'systemTool');
    const name = body === undefined ? undefined : tape.stringValue(tape.get(body, 'name'));
    return {
      index,
      name,
      builtIn: spec === undefined || name === undefined,
      cacheControl: isCachePoint(tape, node) || isCachePoint(tape, nodes[index + 1]),
      range: tape.range(node),
    };
  });
}

export function isCachePoint(tape: JsonTape, node: JsonNode | undefined): boolean {
  return node !== undefined && tape.get(node, 'cachePoint') !== undefined;
}

/** Outlines a message. The provider validates messages with an unknown shape. */
function outlineMessage(tape: JsonTape, node: JsonNode, index: number): MessageOutline {
  const content = tape.get(node, 'content');
  const blocks = content === undefined ? [] : tape.items(content);
  return { ...outlineBlocks(tape, blocks), index, role: mapRole(tape, node), range: tape.range(node) };
}

/** Outlines the system prompt as a message. */
function outlineSystem(tape: JsonTape, node: JsonNode): MessageOutline {
  return { ...outlineBlocks(tape, tape.items(node)), index: 0, role: 'system', range: tape.range(node) };
}

function mapRole(tape: JsonTape, node: JsonNode): MessageRole {
  const role = tape.stringValue(tape.get(node, 'role'));
  return role === 'assistant' || role === 'system' ? role : 'user';
}

type BlocksOutline = Pick<
  MessageOutline,
  'cacheControl' | 'toolCalls' | 'toolResultIds' | 'text' | 'textRanges'
>;

function outlineBlocks(tape: JsonTape, blocks: readonly JsonNode[]): BlocksOutline {
  return {
    cacheControl: blocks.some((block) => tape.get(block, 'cachePoint') !== undefined),
    toolCalls: blocks.flatMap((block) => outlineToolCall(tape, tape.get(block, 'toolUse'))),
    toolResultIds: blocks.flatMap((block) => outlineResult(tape, tape.get(block, 'toolResult'))),
    ...outlineTexts(tape, () => blocks.flatMap((block) => textNodes(tape, block))),
  };
}

function textNodes(tape: JsonTape, block: JsonNode): JsonNode[] {
  const guarded = tape.get(block, 'guardContent');
  const inner = guarded === undefined ? undefined : tape.get(guarded, 'text');
  const text = inner === undefined ? tape.get(block, 'text') : tape.get(inner, 'text');
  return text !== undefined && tape.kind(text) === 'string' ? [text] : [];
}

/** Server tool calls are skipped, because the provider executes server tools. */
function outlineToolCall(tape: JsonTape, body: JsonNode | undefined): ToolCallOutline[] {
  if (body === undefined || tape.stringValue(tape.get(body, 'type')) === 'server_tool_use') return [];
  const name = tape.stringValue(tape.get(body, 'name'));
  return name === undefined ? [] : [{ id: tape.stringValue(tape.get(body, 'toolUseId')) ?? '', name }];
}

function outlineResult(tape: JsonTape, body: JsonNode | undefined): string[] {
  if (body === undefined) return [];
  const type = tape.stringValue(tape.get(body, 'type'));
  if (type !== undefined && type !== 'tool_result') return [];
  return [tape.stringValue(tape.get(body, 'toolUseId')) ?? []].flat();
}
