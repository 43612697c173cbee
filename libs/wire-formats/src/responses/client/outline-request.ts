import { invalidField, missingField } from '@gateway/errors';
import {
  qualifyTool,
  type MessageOutline,
  type MessageRole,
  type RequestOutline,
  type ToolChoice,
} from '@gateway/interchange';
import type { CallPlace, ContextPart } from '../../common/format.ts';
import {
  findSet,
  invalidBody,
  outlineTexts,
  readArray,
  readModel,
  readNumber,
  readStream,
} from '../../common/outline-request.ts';
import { removeMembers } from '../../json/json-edits.ts';
import type { JsonNode, JsonTape } from '../../json/json-tape.ts';
import { parseToolChoice } from '../shared/tools.ts';
import { outlineTools, readText } from './outline-tools.ts';

/** Maximum number of items per request, equal to the maximum number of messages in other formats. */
const itemsMax = 32_768;

/**
 * Reads the fields that the gateway needs from a request. Consecutive assistant items form one
 * message, because each parallel call is a separate item.
 * @throws GatewayError `missing_field` or `invalid_field`, with the name of the field as `param`.
 */
export function outlineRequest(tape: JsonTape): RequestOutline {
  if (tape.kind(tape.root) !== 'object') throw invalidBody();
  const toolsNode = readArray(tape, 'tools');
  const maxOutputTokens = readNumber(tape, 'max_output_tokens');
  const instructions = findSet(tape, 'instructions');
  const choice = tape.get(tape.root, 'tool_choice');
  const toolChoice: ToolChoice =
    choice === undefined ? { mode: 'unset' } : parseToolChoice(tape.value(choice));
  return {
    format: 'responses',
    model: readModel(tape),
    stream: readStream(tape),
    tools: outlineTools(tape),
    toolsRange: toolsNode === undefined ? undefined : tape.range(toolsNode),
    toolChoice,
    messages: listTurns(tape).map((items, index) => outlineTurn(tape, items, index)),
    ...(instructions === undefined
      ? {}
      : { system: { ...outlineTurn(tape, [instructions], -1), role: 'system' as const } }),
    ...(maxOutputTokens === undefined ? {} : { maxOutputTokens }),
  };
}

/** @throws GatewayError `missing_field` or `invalid_field` */
function listItems(tape: JsonTape): JsonNode[] {
  const input = findSet(tape, 'input');
  if (input === undefined && findContinued(tape) !== undefined) return [];
  if (input === undefined) throw missingField('input');
  if (tape.kind(input) === 'string') return [input];
  if (tape.kind(input) !== 'array') throw invalidField('input', 'a text or a list of items');
  const items = tape.items(input);
  if (items.length > itemsMax) throw invalidField('input', `a list of at most ${itemsMax} items`);
  return items;
}

/**
 * Groups the items into turns. A turn consists of consecutive items of the assistant, or of one item with any
 * other role.
 */
function listTurns(tape: JsonTape): JsonNode[][] {
  const turns: JsonNode[][] = [];
  let isAssistant = false;
  for (const item of listItems(tape)) {
    const continues = isAssistant;
    isAssistant = readRole(tape, item) === 'assistant';
    if (continues && isAssistant) turns.at(-1)?.push(item);
    else turns.push([item]);
  }
  return turns;
}

function outlineTurn(tape: JsonTape, items: readonly JsonNode[], index: number): MessageOutline {
  const [first, last] = [items[0] ?? tape.root, items.at(-1) ?? tape.root];
  const types = items.map((item) => readText(tape, item, 'type') ?? '');
  const idOf = (item: JsonNode): string => readText(tape, item, 'call_id') ?? '';
  const calls = items.filter((_, at) => callTypes.has(types[at] ?? ''));
  return {
    index,
    role: readRole(tape, first),
    range: { start: tape.range(first).start, end: tape.range(last).end },
    cacheControl: false,
    toolCalls: calls.map((call) => ({ id: idOf(call), name: readName(tape, call) ?? '' })),
    toolResultIds: items.filter((_, at) => resultTypes.has(types[at] ?? '')).map(idOf),
    ...outlineTexts(tape, () => items.flatMap((item) => listTexts(tape, item))),
  };
}

/** Returns the unique name of the tool that a call item refers to. */
function readName(tape: JsonTape, call: JsonNode): string | undefined {
  const name = readText(tape, call, 'name');
  return name === undefined ? undefined : qualifyTool(readText(tape, call, 'namespace') || undefined, name);
}

const callTypes: ReadonlySet<string> = new Set(['function_call', 'custom_tool_call']);
const resultTypes: ReadonlySet<string> = new Set(['function_call_output', 'custom_tool_call_output']);

function readRole(tape: JsonTape, node: JsonNode): MessageRole {
  const type = readText(tape, node, 'type');
  if (type !== undefined && type !== 'message') {
    if (type === 'additional_tools') return 'system';
    // A tool search that the provider runs belongs to the model's response.
    if (type === 'tool_search_output')
      return readText(tape, node, 'execution') === 'client' ? 'tool' : 'assistant';
    return /_(?:output|response|update)$/.test(type) ? 'tool' : 'assistant';
  }
  const role = readText(tape, node, 'role');
  if (role === 'assistant') return role;
  return role === 'system' || role === 'developer' ? 'system' : 'user';
}

function listTexts(tape: JsonTape, node: JsonNode): JsonNode[] {
  if (tape.kind(node) === 'string') return [node];
  const content = tape.get(node, 'content') ?? tape.get(node, 'output');
  if (content === undefined) return [];
  if (tape.kind(content) === 'string') return [content];
  return tape.items(content).flatMap((part) => {
    const text = tape.kind(part) === 'object' ? tape.get(part, 'text') : undefined;
    return text !== undefined && tape.kind(text) === 'string' ? [text] : [];
  });
}

/**
 * Lists the text in the messages from index `from` onward. The transcript text consists of messages, function calls,
 * custom tool calls, and the results of these calls. The compressor may change only user messages and call results.
 * Reasoning, compacted history, hosted tool calls and references are omitted, because the model may not see their text.
 */
export function listContext(tape: JsonTape, from: number): ContextPart[] {
  return listTurns(tape).flatMap((items, message): ContextPart[] =>
    message < from ? [] : items.flatMap((item) => listParts(tape, item, message)),
  );
}

function listParts(tape: JsonTape, item: JsonNode, message: number): ContextPart[] {
  const type = readText(tape, item, 'type') ?? 'message';
  if (type !== 'message' && !callTypes.has(type) && !resultTypes.has(type)) return [];
  const speaker = readRole(tape, item);
  const canChange = speaker === 'user' || speaker === 'tool';
  const texts = listTexts(tape, item).map((text): ContextPart => {
    const range = tape.range(text);
    const own = { message, speaker, range: canChange ? range : undefined, source: [range] };
    return { ...own, text: () => tape.stringValue(text) ?? '' };
  });
  if (!callTypes.has(type)) return texts;
  const nodes = ['name', 'arguments', 'input'].flatMap((member) => tape.get(item, member) ?? []);
  const source = nodes.map((node) => tape.range(node));
  const text = (): string => nodes.map((node) => tape.stringValue(node) ?? '').join(' ');
  return [...texts, { message, speaker, range: undefined, source, text }];
}

/** Lists the function calls in the request, in order. Malformed function calls are skipped. */
export function listCalls(tape: JsonTape): CallPlace[] {
  return listItems(tape).flatMap((node): CallPlace[] => {
    if (readText(tape, node, 'type') !== 'function_call') return [];
    const [name, given] = [tape.get(node, 'name'), tape.get(node, 'arguments')];
    const calledName = readName(tape, node);
    if (name === undefined || given === undefined || calledName === undefined) return [];
    if (tape.kind(given) !== 'string') return [];
    return [
      {
        ...{ id: readText(tape, node, 'call_id') ?? '', name: calledName, isText: true },
        ...{ nameRange: tape.range(name), argumentsRange: tape.range(given) },
        namespaceEdits: removeMembers(tape, node, ({ key }) => tape.isString(key, 'namespace')),
        argumentsText: () => tape.stringValue(given) ?? '',
      },
    ];
  });
}

/**
 * Names of the deferred functions that the transcript's tool searches found. The model has already received
 * the definitions of the found functions.
 */
export function listFoundTools(tape: JsonTape): ReadonlySet<string> {
  const outputs = listItems(tape).filter((item) => readText(tape, item, 'type') === 'tool_search_output');
  const tools = outputs.flatMap((output) => {
    const list = tape.get(output, 'tools');
    return list === undefined ? [] : tape.items(list);
  });
  return new Set(tools.flatMap((tool) => readText(tape, tool, 'name') ?? []));
}

/** Request fields that work only with a provider that stores responses or prompts. */
const stateful = ['previous_response_id', 'conversation', 'background', 'prompt'] as const;

/**
 * Returns the name of a request field that depends on responses or prompts stored at the provider. Returns
 * undefined if the request contains the whole conversation.
 */
export function findContinued(tape: JsonTape): string | undefined {
  return stateful.find((name) => {
    const node = findSet(tape, name);
    return node !== undefined && tape.value(node) !== false;
  });
}

/**
 * Returns the path of a request field that requires a provider with stored responses. The path points to a
 * field of the request, or to an item in `input` that refers to a stored item. Returns undefined if the
 * request works without stored responses.
 */
export function findStateful(tape: JsonTape): string | undefined {
  const field = findContinued(tape);
  const input = tape.get(tape.root, 'input');
  if (field !== undefined || input === undefined || tape.kind(input) !== 'array') return field;
  const at = tape.items(input).findIndex((item) => readText(tape, item, 'type') === 'item_reference');
  return at < 0 ? undefined : `input[${at}]`;
}
