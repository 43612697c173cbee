import type {
  ChatMessage,
  ChatPart,
  ChatRequest,
  ChatTool,
  JsonObject,
  Loss,
  ToolChoice,
} from '@gateway/interchange';
import type { RenderedRequest, RequestRenderOptions } from '../../common/format.ts';
import { asObject, isEmpty, optional } from '../../json/read-members.ts';
import { renderCachePoint } from '../shared/block-values.ts';
import { own } from '../shared/own-members.ts';
import { renderSettings } from '../shared/settings.ts';
import { renderToolChoice } from '../shared/tools.ts';
import type { BlockContext } from '../shared/render-block.ts';
import { isBlank, renderContent } from '../shared/render-block.ts';
import { createDocumentNames } from '../shared/media.ts';

const membersOfSettings = [
  'inferenceConfig',
  'additionalModelRequestFields',
  'outputConfig',
  'spelling',
] as const;

/**
 * Renders the request body in the Converse format and lists the losses. The model and the streaming flag go
 * into the URL.
 */
export function renderRequest(request: ChatRequest, options: RequestRenderOptions): RenderedRequest {
  const losses: Loss[] = [];
  const { toolConfig, ...kept } = own.read(request);
  const { system, messages } = renderMessages(request.messages, losses, options.takesSystemTurns === true);
  const members = Object.entries(kept).filter(
    ([name]) => !membersOfSettings.some((member) => member === name),
  );
  const body: JsonObject = {
    messages,
    ...(system.length === 0 ? {} : { system }),
    ...renderSettings(request.settings, kept, options.model, losses),
    ...renderToolConfig(request, asObject(toolConfig) ?? {}, losses),
    ...Object.fromEntries(members),
  };
  return { body, losses };
}

function renderToolConfig(request: ChatRequest, kept: JsonObject, losses: Loss[]): JsonObject {
  const tools = chooseTools(request, losses).flatMap((tool, index) => renderTool(tool, index, losses));
  const choice = tools.length === 0 ? undefined : renderToolChoice(request.toolChoice);
  const config = {
    ...(tools.length === 0 ? {} : { tools }),
    ...optional('toolChoice', choice),
    ...kept,
  };
  // A tool choice such as `{auto:{}}` counts as a field, so `isEmpty` returns false.
  return isEmpty(config) ? {} : { toolConfig: config };
}

/** A tool choice in the Converse format cannot list several tools, so only the allowed tools are sent. */
function chooseTools({ tools, toolChoice, messages }: ChatRequest, losses: Loss[]): readonly ChatTool[] {
  if (toolChoice.mode === 'allowed') return tools.filter((tool) => isNamed(tool, toolChoice));
  if (toolChoice.mode !== 'none') return tools;
  // The Converse API rejects a conversation with tool calls if the request has no tools.
  // Signed reasoning is valid only if the tools before it are unchanged.
  const needsTools = messages.some(({ parts }) =>
    parts.some(
      (part) =>
        part.type === 'tool-call' ||
        part.type === 'tool-result' ||
        (part.type === 'thinking' && (part.signature ?? part.redacted) !== undefined),
    ),
  );
  if (!needsTools) return [];
  if (tools.length > 0)
    losses.push({
      field: 'tool_choice',
      reason: 'the format cannot forbid tool calls in a conversation with tool calls or signed reasoning',
    });
  return tools;
}

function isNamed(tool: ChatTool, choice: Extract<ToolChoice, { mode: 'allowed' }>): boolean {
  return tool.kind !== 'built-in' && choice.names.includes(tool.name);
}

function renderTool(tool: ChatTool, index: number, losses: Loss[]): JsonObject[] {
  const kept = own.read(tool);
  const point = tool.cacheMarker === undefined ? [] : [renderCachePoint(tool.cacheMarker)];
  if (tool.kind === 'function') return [renderFunction(tool, kept), ...point];
  if (tool.kind === 'built-in' && !isEmpty(kept)) return [kept, ...point];
  const reason =
    tool.kind === 'custom'
      ? 'the format does not support custom tools'
      : 'the built-in tool belongs to another provider';
  losses.push({ field: `tools[${index}]`, reason });
  return point;
}

function renderFunction(tool: Extract<ChatTool, { kind: 'function' }>, kept: JsonObject): JsonObject {
  const { toolSpec, ...rest } = kept;
  const { name, description, parameters, strict } = tool;
  return {
    toolSpec: {
      name,
      // The Converse API rejects empty descriptions and tools without a schema.
      ...optional('description', description === '' ? undefined : description),
      inputSchema: { json: parameters ?? { type: 'object', properties: {} } },
      ...(strict === undefined ? {} : { strict }),
      ...asObject(toolSpec),
    },
    ...rest,
  };
}

interface RenderedMessages {
  readonly system: readonly JsonObject[];
  readonly messages: readonly JsonObject[];
}

interface Turn {
  readonly role: string;
  readonly members: JsonObject;
  readonly content: JsonObject[];
}

/**
 * Renders the conversation. System messages become the system prompt. If the model accepts system messages
 * after user messages, each later system message is sent directly before the model's next turn. Tool results
 * become part of a user turn. Turns must alternate between user and assistant, so adjacent turns with the
 * same role are merged. Empty turns are dropped, because the API rejects empty turns.
 */
function renderMessages(
  messages: readonly ChatMessage[],
  losses: Loss[],
  takesSystemTurns: boolean,
): RenderedMessages {
  const system: JsonObject[] = [];
  const turns: Turn[] = [];
  const late: JsonObject[] = [];
  const nameDocument = createDocumentNames();
  messages.forEach((message, index) => {
    const { spelling, ...members } = own.read(message);
    const context: BlockContext = { losses, nameDocument, field: `messages[${index}]` };
    const isApart = spelling === 'apart';
    if (message.role === 'assistant' || isApart) addLate(turns, late);
    if (message.role === 'system' && !isApart) {
      if (turns.length > 0 && takesSystemTurns) {
        late.push(...renderContent(message.parts.filter(isNotBlank), context));
        return;
      }
      if (turns.length > 0) {
        losses.push({
          field: context.field,
          reason: 'the format has system messages only before the conversation; the message was moved there',
        });
      }
      system.push(...renderContent(message.parts.filter(isNotBlank), context));
      return;
    }
    const role = message.role === 'tool' ? 'user' : message.role;
    const content = renderContent(message.parts.filter(isNotBlank), context);
    const last = turns.at(-1);
    if (last?.role === role && !isApart) last.content.push(...content);
    else if (content.length > 0) turns.push({ role, members, content });
  });
  addLate(turns, late);
  return { system, messages: turns.map(({ role, members, content }) => ({ role, content, ...members })) };
}

/**
 * Adds several system messages to the conversation as one turn. The API rejects a system message directly
 * after a model message, so the system message becomes a user message.
 */
function addLate(turns: Turn[], late: JsonObject[]): void {
  if (late.length === 0) return;
  const role = turns.at(-1)?.role === 'user' ? 'system' : 'user';
  turns.push({ role, members: {}, content: late.splice(0) });
}

function isNotBlank(part: ChatPart): boolean {
  return !isBlank(part);
}
