import type { ChatRequest, ChatSettings, ChatTool, JsonObject, Loss } from '@gateway/interchange';
import type { RenderedRequest, RequestRenderOptions } from '../../common/format.ts';
import { asList, asObject, isEmpty, optional } from '../../json/read-members.ts';
import { readRest } from '../shared/own-members.ts';
import type { RenderContext } from './render-message.ts';
import { renderMessage } from './render-message.ts';
import { numberSettings, renderResponseFormat } from '../shared/settings.ts';

/** Renders the request body in Cohere's format and lists the losses. */
export function renderRequest(request: ChatRequest, { model }: RequestRenderOptions): RenderedRequest {
  const losses: Loss[] = [];
  const context: RenderContext = {
    lose: (field, reason) => losses.push({ field, reason }),
    documents: [],
  };
  const rest = readRest(request);
  const messages = request.messages.flatMap((message, index) => renderMessage(message, index, context));
  const documents = [...asList(rest.documents), ...context.documents];
  const body = {
    ...rest,
    model,
    messages,
    ...(documents.length === 0 ? {} : { documents }),
    ...renderSettings(request.settings, rest, context),
    ...renderTools(request, context),
    stream: request.stream,
  };
  return { body, losses };
}

/** Renders a request's settings. `own` contains the client's fields, if the client uses Cohere's format. */
function renderSettings(settings: ChatSettings, own: JsonObject, context: RenderContext): JsonObject {
  const members: Record<string, unknown> = {};
  for (const [member, name] of numberSettings) {
    if (settings[name] !== undefined) members[member] = settings[name];
  }
  const { responseFormat } = settings;
  loseSettings(settings, context);
  return {
    ...members,
    ...optional('stop_sequences', settings.stopSequences),
    ...optional(
      'response_format',
      responseFormat === undefined ? undefined : renderResponseFormat(responseFormat),
    ),
    ...optional('thinking', own.thinking ?? renderThinking(settings, context)),
  };
}

/** Cohere's format has no effort levels. Reasoning is on by default and can have a token budget. */
function renderThinking(
  { thinking, reasoningEffort }: ChatSettings,
  context: RenderContext,
): JsonObject | undefined {
  if (reasoningEffort === 'none') return { type: 'disabled' };
  if (reasoningEffort !== undefined)
    context.lose('reasoning_effort', 'the format does not support effort levels');
  if (thinking === undefined) return undefined;
  if (!thinking.enabled) return { type: 'disabled' };
  return { type: 'enabled', ...optional('token_budget', thinking.budgetTokens) };
}

function loseSettings(settings: ChatSettings, context: RenderContext): void {
  if (settings.answers !== undefined && settings.answers !== 1)
    context.lose('n', 'the format returns only one choice');
  if (settings.parallelToolCalls === false)
    context.lose('parallel_tool_calls', 'the format cannot disable parallel calls');
  if (settings.endUser !== undefined) context.lose('user', 'the format does not support this setting');
}

/** Renders the fields `tools`, `tool_choice` and `strict_tools`. */
function renderTools(request: ChatRequest, context: RenderContext): JsonObject {
  const { toolChoice } = request;
  const isChosen = chooseTools(request);
  const tools = request.tools.flatMap((tool, index) =>
    isChosen(tool) ? renderTool(tool, `tools[${index}]`, context) : [],
  );
  const isForced =
    toolChoice.mode === 'required' ||
    toolChoice.mode === 'tool' ||
    (toolChoice.mode === 'allowed' && toolChoice.required === true);
  const choice = isForced ? 'REQUIRED' : toolChoice.mode === 'none' ? 'NONE' : undefined;
  return {
    ...(tools.length === 0 ? {} : { tools }),
    ...optional('tool_choice', choice),
    ...renderStrict(request.tools, context),
  };
}

/** A tool choice in Cohere's format cannot name a tool, so only the allowed tools are sent. */
function chooseTools({ toolChoice }: ChatRequest): (tool: ChatTool) => boolean {
  const names =
    toolChoice.mode === 'tool'
      ? [toolChoice.name]
      : toolChoice.mode === 'allowed'
        ? toolChoice.names
        : undefined;
  return (tool) => names === undefined || (tool.kind !== 'built-in' && names.includes(tool.name));
}

function renderTool(tool: ChatTool, field: string, context: RenderContext): JsonObject[] {
  if (tool.cacheMarker !== undefined)
    context.lose(`${field}.cache_control`, 'Cohere caches automatically and has no cache markers');
  const rest = readRest(tool);
  if (tool.kind === 'function') {
    const { function: body, ...members } = rest;
    // Cohere's format requires a parameters object.
    const parameters = tool.parameters ?? { type: 'object', properties: {} };
    const described = { name: tool.name, ...optional('description', tool.description), parameters };
    return [{ type: 'function', function: { ...described, ...asObject(body) }, ...members }];
  }
  if (tool.kind === 'built-in' && !isEmpty(rest)) return [rest];
  context.lose(
    field,
    tool.kind === 'custom'
      ? 'the format does not support custom tools'
      : 'the built-in tool belongs to another provider',
  );
  return [];
}

/** In Cohere's format, a single setting makes all tools strict or non-strict. */
function renderStrict(tools: readonly ChatTool[], context: RenderContext): JsonObject {
  const functions = tools.filter((tool) => tool.kind === 'function');
  const strict = functions.filter((tool) => tool.strict === true);
  if (strict.length === 0) return {};
  if (strict.length === functions.length) return { strict_tools: true };
  context.lose('tools.strict', 'in the format, either all tools are strict or none');
  return {};
}
