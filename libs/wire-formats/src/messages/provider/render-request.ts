import type { ChatMessage, ChatRequest, ChatTool, JsonObject, Loss, ToolChoice } from '@gateway/interchange';
import type { RenderedRequest, RequestRenderOptions } from '../../common/format.ts';
import { asObject, optional } from '../../json/read-members.ts';
import { renderCacheControl, own } from '../shared/own-members.ts';
import { renderToolChoice } from '../shared/tools.ts';
import { renderConversation } from './render-messages.ts';
import { renderSettings } from './render-settings.ts';

/** The request as this format's body, and what of it the format cannot say under the version it is sent with. */
export function renderRequest(request: ChatRequest, options: RequestRenderOptions): RenderedRequest {
  const members = own.read(request);
  const losses: Loss[] = [];
  const version = options.apiVersion ?? chooseMessagesVersion(request);
  const body: JsonObject = {
    ...members,
    model: options.model,
    ...renderConversation(request.messages, { version, losses }),
    ...renderSettings(request.settings, members, { ...options, apiVersion: version }, losses),
    ...renderTools(request, members, losses),
    ...(request.stream ? { stream: true } : {}),
  };
  return { body, losses };
}

function renderTools(request: ChatRequest, members: JsonObject, losses: Loss[]): JsonObject {
  const { toolChoice, settings } = request;
  const tools = request.tools.flatMap((tool, index) =>
    isOffered(tool, toolChoice) ? renderTool(tool, index, losses) : [],
  );
  // Without tools the format refuses a choice among them; a client of this very format is left its own error.
  const choice = tools.length === 0 ? undefined : renderToolChoice(toolChoice, settings.parallelToolCalls);
  return {
    ...(tools.length === 0 ? {} : { tools }),
    ...optional('tool_choice', members.tool_choice ?? choice),
  };
}

/** A choice among some of the tools is said by leaving the others out. */
function isOffered(tool: ChatTool, choice: ToolChoice): boolean {
  return choice.mode !== 'allowed' || tool.kind === 'built-in' || choice.names.includes(tool.name);
}

function renderTool(tool: ChatTool, index: number, losses: Loss[]): JsonObject[] {
  const { spelling, ...members } = own.read(tool);
  if (tool.kind === 'built-in') {
    if (Object.keys(members).length > 0) return [members];
    losses.push({ field: `tools[${index}]`, reason: "a built-in tool of another format's providers" });
    return [];
  }
  if (tool.kind === 'custom') {
    losses.push({ field: `tools[${index}]`, reason: 'the format has no tools that take text' });
    return [];
  }
  return [
    {
      ...members,
      ...optional('type', asObject(spelling)?.type),
      name: tool.name,
      ...optional('description', tool.description),
      input_schema: renderSchema(tool.parameters),
      ...optional('strict', tool.strict),
      ...renderCacheControl(tool.cacheMarker),
    },
  ];
}

/** The format insists on a schema, and on its type being said. */
function renderSchema(parameters: unknown): unknown {
  // Some clients write null where a tool takes nothing.
  const schema = parameters ?? {};
  const object = asObject(schema);
  return object === undefined || object.type !== undefined ? schema : { type: 'object', ...object };
}

/** Values of the header `anthropic-version`. */
export const messagesVersions = ['2023-06-01', '2026-10-21'] as const;
export type MessagesVersion = (typeof messagesVersions)[number];

/**
 * The version that takes all that a translated request says: the newest, unless it says what that one refuses (sampling
 * settings, documents in assistant turns, citations in user turns; Anthropic, "Versions", 2026-10-21). Whoever knows
 * that the model takes no sampling settings asks for the newest anyway, and they become losses.
 */
export function chooseMessagesVersion({ settings, messages }: ChatRequest): MessagesVersion {
  const isSampled = [settings.temperature, settings.topP, settings.topK].some((value) => value !== undefined);
  return isSampled || messages.some(saysWhatIsGone) ? '2023-06-01' : '2026-10-21';
}

function saysWhatIsGone({ role, parts }: ChatMessage): boolean {
  return parts.some((part) =>
    role === 'assistant'
      ? part.type === 'document'
      : part.type === 'text' && part.citations !== undefined && part.citations.length > 0,
  );
}
