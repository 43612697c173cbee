import type {
  ChatMessage,
  ChatRequest,
  ChatSettings,
  ChatTool,
  JsonObject,
  Loss,
  ToolChoice,
} from '@gateway/interchange';
import type { RenderedRequest, RequestRenderOptions } from '../../common/format.ts';
import { asObject, optional } from '../../json/read-members.ts';
import { own, renderCacheControl } from '../shared/own-members.ts';
import { renderToolChoice } from '../shared/tools.ts';
import { renderConversation } from './render-messages.ts';
import { renderOutputFormat, renderThinking } from '../shared/settings.ts';

/** Renders a request body in the messages format and lists the losses for the chosen API version. */
export function renderRequest(request: ChatRequest, options: RequestRenderOptions): RenderedRequest {
  const members = own.read(request);
  const losses: Loss[] = [];
  const version = options.apiVersion ?? chooseMessagesVersion(request);
  const body: JsonObject = {
    ...members,
    model: options.model,
    ...renderConversation(request.messages, {
      ...{ version, losses },
      takesSystemTurns: options.takesSystemTurns === true,
    }),
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
  // If the client uses this format, the tool choice is sent, and the provider returns an error.
  const choice = tools.length === 0 ? undefined : renderToolChoice(toolChoice, settings.parallelToolCalls);
  return {
    ...(tools.length === 0 ? {} : { tools }),
    ...optional('tool_choice', members.tool_choice ?? choice),
  };
}

/** The messages format cannot restrict a model to some of the tools, so only the allowed tools are sent. */
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

/** The messages format requires a tool schema with a type. */
function renderSchema(parameters: unknown): unknown {
  // Some clients send null as the parameters of a tool without parameters.
  const schema = parameters ?? {};
  const object = asObject(schema);
  return object === undefined || object.type !== undefined ? schema : { type: 'object', ...object };
}

/** Values for the `anthropic-version` header. */
type MessagesVersion = '2023-06-01' | '2026-10-21';

/**
 * Chooses the API version that accepts the complete translated request. Returns the newest API version,
 * except for requests that the newest version rejects. The newest version rejects sampling settings,
 * documents in assistant messages, and citations in user messages (Anthropic, "Versions", 2026-10-21). For a
 * model that rejects sampling settings, the caller may choose the newest API version. With the newest API
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

/**
 * Default output limit in tokens. The messages format requires an output limit, and every model supports the
 * default limit.
 */
const maxTokensDefault = 4096;

/** The messages format's values for reasoning effort (Anthropic, "Effort"). */
const efforts: readonly string[] = ['low', 'medium', 'high', 'xhigh', 'max'];

/**
 * Interchange settings that the messages format lacks. Each entry also has the field name for losses and the
 * default value. A dropped default value is not a loss.
 */
const unsupported = [
  ['seed', 'seed', undefined],
  ['frequencyPenalty', 'frequency_penalty', 0],
  ['presencePenalty', 'presence_penalty', 0],
  ['answers', 'n', 1],
] as const satisfies readonly (readonly [keyof ChatSettings, string, number | undefined])[];

function renderSettings(
  settings: ChatSettings,
  own: JsonObject,
  options: RequestRenderOptions,
  losses: Loss[],
): JsonObject {
  for (const [name, field, defaultValue] of unsupported) {
    if (settings[name] !== undefined && settings[name] !== defaultValue) {
      losses.push({ field, reason: 'the format has no such setting' });
    }
  }
  return {
    max_tokens: settings.maxOutputTokens ?? options.maxOutputTokensDefault ?? maxTokensDefault,
    ...renderSampling(settings, options, losses),
    ...renderStopSequences(settings, losses),
    ...optional('metadata', {
      ...asObject(own.metadata),
      ...optional('user_id', settings.endUser),
    }),
    ...renderThinkingMembers(settings, own),
    ...optional('output_config', renderOutputConfig(settings, own, options, losses)),
  };
}

function renderSampling(
  { temperature, topP, topK }: ChatSettings,
  { apiVersion }: RequestRenderOptions,
  losses: Loss[],
): JsonObject {
  const sampling = [
    ['temperature', temperature],
    ['top_p', topP],
    ['top_k', topK],
  ].filter((entry): entry is [string, number] => entry[1] !== undefined);
  if (apiVersion !== undefined && apiVersion !== '2023-06-01') {
    for (const [field] of sampling) losses.push({ field, reason: `version ${apiVersion} rejects it` });
    return {};
  }
  if (temperature !== undefined && temperature > 1) {
    losses.push({ field: 'temperature', reason: "the format's maximum is 1" });
    return { ...Object.fromEntries(sampling), temperature: 1 };
  }
  return Object.fromEntries(sampling);
}

/** Anthropic rejects stop sequences that contain only whitespace. */
function renderStopSequences({ stopSequences }: ChatSettings, losses: Loss[]): JsonObject {
  if (stopSequences === undefined) return {};
  const accepted = stopSequences.filter((sequence) => sequence.trim() !== '');
  if (accepted.length < stopSequences.length) {
    losses.push({ field: 'stop', reason: 'the format rejects stop sequences that are only white space' });
  }
  return accepted.length === 0 && stopSequences.length > 0 ? {} : { stop_sequences: accepted };
}

function renderThinkingMembers({ thinking, reasoningEffort }: ChatSettings, own: JsonObject): JsonObject {
  if (own.thinking !== undefined) return { thinking: own.thinking };
  if (thinking !== undefined) return { thinking: renderThinking(thinking) };
  // Other formats use the effort level `none` to turn reasoning off.
  return reasoningEffort === 'none' ? { thinking: { type: 'disabled' } } : {};
}

function renderOutputConfig(
  { reasoningEffort, responseFormat }: ChatSettings,
  own: JsonObject,
  { takesReasoningEffort = true }: RequestRenderOptions,
  losses: Loss[],
): JsonObject {
  const given = asObject(own.output_config) ?? {};
  const format = responseFormat === undefined ? undefined : renderOutputFormat(responseFormat);
  if (responseFormat?.type === 'json') {
    losses.push({ field: 'response_format', reason: 'the format supports JSON only with a schema' });
  }
  const isSpelled = given.format !== undefined || own.output_format !== undefined;
  const effort = renderEffort(reasoningEffort, takesReasoningEffort, losses);
  return { ...given, ...optional('effort', effort), ...(isSpelled ? {} : optional('format', format)) };
}

function renderEffort(effort: string | undefined, isTaken: boolean, losses: Loss[]): string | undefined {
  if (effort === undefined || effort === 'none') return undefined;
  if (isTaken && efforts.includes(effort)) return effort;
  if (isTaken && effort === 'minimal') return 'low';
  const reason = isTaken ? `the format has no effort "${effort}"` : 'the model rejects a reasoning effort';
  losses.push({ field: 'reasoning_effort', reason });
  return undefined;
}
