import type { ChatMessage, ChatRequest, ChatTool, JsonObject, Loss, ToolChoice } from '@gateway/interchange';
import type { RenderedRequest, RequestRenderOptions } from '../../common/format.ts';
import { asObject, optional } from '../../json/read-members.ts';
import { renderCacheControl, own } from '../shared/own-members.ts';
import { renderToolChoice } from '../shared/tools.ts';
import { renderConversation } from './render-messages.ts';
import { renderSettings } from './render-settings.ts';

/** Renders a request body in the messages format, and lists the losses in the chosen API version. */
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
  // The messages format rejects a tool choice without tools.
  // If the client uses the same format, the tool choice is sent anyway, and the provider returns an error.
  const choice = tools.length === 0 ? undefined : renderToolChoice(toolChoice, settings.parallelToolCalls);
  return {
    ...(tools.length === 0 ? {} : { tools }),
    ...optional('tool_choice', members.tool_choice ?? choice),
  };
}

/**
 * The messages format cannot allow only some of the tools, so the tools that are not allowed are not sent.
 */
function isOffered(tool: ChatTool, choice: ToolChoice): boolean {
  return choice.mode !== 'allowed' || tool.kind === 'built-in' || choice.names.includes(tool.name);
}

function renderTool(tool: ChatTool, index: number, losses: Loss[]): JsonObject[] {
  const { spelling, ...members } = own.read(tool);
  if (tool.kind === 'built-in') {
    if (Object.keys(members).length > 0) return [members];
    losses.push({ field: `tools[${index}]`, reason: 'the built-in tool belongs to another format' });
    return [];
  }
  if (tool.kind === 'custom') {
    losses.push({ field: `tools[${index}]`, reason: 'the format has no tools with text input' });
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

/** The messages format requires a schema with a type. */
function renderSchema(parameters: unknown): unknown {
  // Some clients send null as the parameters of a tool without parameters.
  const schema = parameters ?? {};
  const object = asObject(schema);
  return object === undefined || object.type !== undefined ? schema : { type: 'object', ...object };
}

/** Values for the `anthropic-version` header. */
type MessagesVersion = '2023-06-01' | '2026-10-21';

/**
 * Chooses the API version that accepts the complete translated request. The result is the newest API version,
 * except for requests that the newest version rejects. The newest version rejects sampling settings,
 * documents in assistant messages, and citations in user messages (Anthropic, "Versions", 2026-10-21). If a
 * model rejects sampling settings, the caller may choose the newest API version anyway. With the newest API
 * version, the sampling settings are reported as losses.
 */
export function chooseMessagesVersion({ settings, messages }: ChatRequest): MessagesVersion {
  const isSampled = [settings.temperature, settings.topP, settings.topK].some((value) => value !== undefined);
  return isSampled || messages.some(usesRemovedFeatures) ? '2023-06-01' : '2026-10-21';
}

function usesRemovedFeatures({ role, parts }: ChatMessage): boolean {
  return parts.some((part) =>
    role === 'assistant'
      ? part.type === 'document'
      : part.type === 'text' && part.citations !== undefined && part.citations.length > 0,
  );
}
