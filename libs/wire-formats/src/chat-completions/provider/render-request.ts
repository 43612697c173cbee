import type { ChatRequest, ChatSettings, ChatTool, Extensions, JsonObject, Loss } from '@gateway/interchange';
import type { RenderedRequest, RequestRenderOptions } from '../../common/format.ts';
import { asNumber, asObject, optional } from '../../json/read-members.ts';
import { readOwn } from '../shared/own-members.ts';
import { renderToolChoice } from '../shared/tools.ts';
import {
  renderResponseFormat,
  booleanSettings,
  maxTokensFields,
  numberSettings,
  textSettings,
} from '../shared/settings.ts';
import { renderMessages } from './render-messages.ts';

/** Renders a request body in the chat completions format and lists the losses. */
export function renderRequest(request: ChatRequest, options: RequestRenderOptions): RenderedRequest {
  const own = readOwn(request);
  const losses: Loss[] = findCacheLosses(request);
  const messages = request.messages.flatMap((message, index) => renderMessages(message, index, losses));
  const body: JsonObject = {
    ...optional('prompt_cache_key', options.promptCacheKey),
    ...own,
    model: options.model,
    messages,
    ...renderSettings(request.settings, own, options, losses),
    ...renderTools(request, own, losses),
    ...renderStream(request, own),
  };
  return { body, losses };
}

function renderStream({ stream, streamsUsage }: ChatRequest, own: JsonObject): JsonObject {
  // Providers reject `include_usage` in a non-streaming request.
  const wantsUsage = stream && streamsUsage;
  const options = { ...asObject(own.stream_options), ...(wantsUsage ? { include_usage: true } : {}) };
  return { ...(stream ? { stream } : {}), ...optional('stream_options', options) };
}

function renderTools(request: ChatRequest, own: JsonObject, losses: Loss[]): JsonObject {
  const tools = request.tools.flatMap((tool, index) => renderTool(tool, index, losses));
  // The chat completions format rejects a tool choice without tools.
  // If the client uses this format, the tool choice is sent, and the provider returns an error.
  const choice = tools.length === 0 ? undefined : renderToolChoice(request.toolChoice, request.tools);
  return {
    ...(tools.length === 0 ? {} : { tools }),
    ...optional('tool_choice', own.tool_choice ?? choice),
  };
}

function renderTool(tool: ChatTool, index: number, losses: Loss[]): JsonObject[] {
  const own = readOwn(tool);
  if (tool.kind === 'built-in') {
    if (Object.keys(own).length > 0) return [own];
    losses.push({ field: `tools[${index}]`, reason: 'the built-in tool belongs to another format' });
    return [];
  }
  const { kind, name } = tool;
  const ofKind =
    tool.kind === 'function'
      ? {
          ...(tool.parameters === undefined ? {} : { parameters: tool.parameters }),
          ...optional('strict', tool.strict),
        }
      : optional(
          'format',
          tool.grammar === undefined ? undefined : { type: 'grammar', grammar: tool.grammar },
        );
  const body = { ...asObject(own[kind]), name, ...optional('description', tool.description), ...ofKind };
  return [{ ...own, type: kind, [kind]: body }];
}

function renderSettings(
  settings: ChatSettings,
  own: JsonObject,
  options: RequestRenderOptions,
  losses: Loss[],
): JsonObject {
  const members: Record<string, unknown> = {};
  for (const [member, name] of [...numberSettings, ...textSettings, ...booleanSettings]) {
    if (settings[name] !== undefined && !isMistralSeed(member, own)) members[member] = settings[name];
  }
  if (settings.stopSequences !== undefined) members.stop = settings.stopSequences;
  if (settings.responseFormat !== undefined && own.response_format === undefined) {
    members.response_format = renderResponseFormat(settings.responseFormat);
  }
  if (settings.maxOutputTokens !== undefined) {
    members[chooseMaxTokensField(own, options)] = settings.maxOutputTokens;
  }
  if (settings.topK !== undefined && own.top_k === undefined) {
    losses.push({ field: 'top_k', reason: 'the format has no such setting' });
  }
  if (settings.thinking?.enabled === true && settings.reasoningEffort === undefined) {
    losses.push({ field: 'thinking', reason: 'the format has a reasoning effort, not a budget' });
  }
  return members;
}

/**
 * Whether the client sent the seed in Mistral's field. A seed that the client sent in Mistral's field is
 * rendered in Mistral's field instead of `seed`.
 */
function isMistralSeed(member: string, own: JsonObject): boolean {
  return member === 'seed' && asNumber(own.random_seed) !== undefined;
}

/**
 * Returns the output limit field that the client's request contains, because the client chose the field for a
 * specific provider. Otherwise, returns the provider's field.
 */
function chooseMaxTokensField(own: JsonObject, options: RequestRenderOptions): string {
  const spelled = maxTokensFields.find((field) => asNumber(own[field]) !== undefined);
  return spelled ?? options.maxTokensField ?? 'max_completion_tokens';
}

/** Finds cache markers from other formats. OpenAI caches automatically and rejects unknown fields. */
function findCacheLosses({ messages, tools }: ChatRequest): Loss[] {
  const inParts = messages.flatMap((message, index) =>
    message.parts
      .map((part, at) => ({ part, field: `messages[${index}].parts[${at}]` }))
      .filter(({ part }) => part.cacheMarker !== undefined && !isSpelled(part) && !isSpelled(message))
      .map(({ field }) => field),
  );
  const inTools = tools
    .map((tool, index) => ({ tool, field: `tools[${index}]` }))
    .filter(({ tool }) => tool.kind !== 'built-in' && tool.cacheMarker !== undefined && !isSpelled(tool))
    .map(({ field }) => field);
  return [...inParts, ...inTools].map((field) => ({
    field: `${field}.cache_control`,
    reason: 'the format has no such member',
  }));
}

/**
 * Whether the client wrote the cache marker in the chat completions format. A tool may have the cache marker
 * inside its function object.
 */
function isSpelled(holder: { readonly extensions?: Extensions }): boolean {
  const own = readOwn(holder);
  return [own, asObject(own.function)].some((members) => members?.cache_control !== undefined);
}
