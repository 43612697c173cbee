import type {
  ChatRequest,
  ChatSettings,
  ChatTool,
  JsonObject,
  Loss,
  ResponseFormat,
} from '@gateway/interchange';
import type { RenderedRequest, RequestRenderOptions } from '../../common/format.ts';
import { asObject, isEmpty, optional, otherMembers } from '../../json/read-members.ts';
import { readRest, readSpelling } from '../shared/own-members.ts';
import { renderContents } from './render-contents.ts';
import type { RenderContext } from './render-part.ts';
import { createRenderContext } from './render-part.ts';
import { numberSettings, renderFunctionCalling } from '../shared/settings.ts';
import { isPlainSchema } from '../shared/schema.ts';

/**
 * Renders the request body in the Gemini format and lists the losses. The model and the streaming flag go
 * into the URL.
 */
export function renderRequest(request: ChatRequest, { model }: RequestRenderOptions): RenderedRequest {
  const losses: Loss[] = [];
  const context = createRenderContext(request, model, losses);
  const body = {
    ...otherMembers(readRest(request), ['generationConfig', 'toolConfig']),
    ...optional('model', readSpelling(request).model),
    ...renderContents(request.messages, context),
    ...renderTools(request, context),
    ...renderGenerationConfig(request, context),
  };
  return { body, losses };
}

/** Renders the field `generationConfig`. */
function renderGenerationConfig(request: ChatRequest, context: RenderContext): JsonObject {
  const { settings } = request;
  const spelling = readSpelling(request);
  const config: Record<string, unknown> = {};
  for (const [member, name] of numberSettings) {
    if (settings[name] !== undefined) config[member] = settings[name];
  }
  loseSettings(settings, context);
  return optional('generationConfig', {
    ...asObject(readRest(request).generationConfig),
    ...config,
    ...optional('stopSequences', settings.stopSequences),
    ...(asObject(spelling.responseFormat) ?? renderResponseFormat(settings.responseFormat)),
    ...optional('thinkingConfig', asObject(spelling.thinkingConfig) ?? renderThinking(settings, context)),
  });
}

function renderResponseFormat(format: ResponseFormat | undefined): JsonObject {
  if (format === undefined || format.type === 'text') return {};
  const responseMimeType = 'application/json';
  if (format.type === 'json') return { responseMimeType };
  const { description } = format;
  const schema = asObject(format.schema) ?? {};
  const described = description === undefined ? schema : { description, ...schema };
  return isPlainSchema(described)
    ? { responseMimeType, responseSchema: described }
    : { responseMimeType, responseJsonSchema: described };
}

function loseSettings(settings: ChatSettings, context: RenderContext): void {
  if (settings.parallelToolCalls === false)
    context.lose('parallel_tool_calls', 'the format cannot disable parallel calls');
  if (settings.endUser !== undefined) context.lose('user', 'the format does not support this setting');
}

/** The first Gemini generation that supports reasoning levels. Earlier models accept a token budget. */
const levelsSince = 3;
/** The first Gemini generation that supports reasoning. */
const thinkingSince = 2.5;

/**
 * Token budgets for the effort levels, from Google's OpenAI-compatible endpoint
 * (ai.google.dev/gemini-api/docs/openai).
 */
const effortBudgets: ReadonlyMap<string, number> = new Map([
  ['none', 0],
  ['minimal', 1024],
  ['low', 1024],
  ['medium', 8192],
  ['high', 24_576],
  ['xhigh', 24_576],
  ['max', 24_576],
]);

const effortLevels: ReadonlyMap<string, string> = new Map([
  ['none', 'MINIMAL'],
  ['minimal', 'MINIMAL'],
  ['low', 'LOW'],
  ['medium', 'MEDIUM'],
  ['high', 'HIGH'],
  ['xhigh', 'HIGH'],
  ['max', 'HIGH'],
]);

/**
 * Reasoning effort levels that the Gemini format lacks. The gateway sends the nearest level that the Gemini
 * format has.
 */
const approximated = new Set(['none', 'xhigh', 'max']);

/**
 * Renders the field `thinkingConfig`. Returns undefined if the request has no reasoning setting or the model
 * cannot reason.
 */
function renderThinking(
  { reasoningEffort, thinking }: ChatSettings,
  context: RenderContext,
): JsonObject | undefined {
  if (reasoningEffort === undefined && thinking === undefined) return undefined;
  if (context.generation < thinkingSince) {
    if (thinking?.enabled !== false) context.lose('thinking', 'the model does not support reasoning');
    return undefined;
  }
  const isOff = reasoningEffort === 'none' || thinking?.enabled === false;
  const includeThoughts = !isOff && (thinking?.shown ?? true);
  return {
    ...renderAmount(isOff ? 'none' : reasoningEffort, thinking?.budgetTokens, context),
    includeThoughts,
  };
}

function renderAmount(
  effort: string | undefined,
  budgetTokens: number | undefined,
  context: RenderContext,
): JsonObject {
  if (effort === undefined) return budgetTokens === undefined ? {} : { thinkingBudget: budgetTokens };
  const table = context.generation >= levelsSince ? effortLevels : effortBudgets;
  const amount = table.get(effort);
  if (amount === undefined || (table === effortLevels && approximated.has(effort)))
    context.lose('reasoning_effort', 'the format does not support this level');
  if (amount === undefined) return {};
  return table === effortLevels ? { thinkingLevel: amount } : { thinkingBudget: amount };
}

/** Renders the fields `tools` and `toolConfig`. */
function renderTools(request: ChatRequest, context: RenderContext): JsonObject {
  const rendered = request.tools.map((tool, index) => renderTool(tool, `tools[${index}]`, context));
  const functionDeclarations = rendered.flatMap(({ declaration }) => declaration ?? []);
  const builtIns = rendered.flatMap(({ builtIn }) => builtIn ?? []);
  const tools = [...(functionDeclarations.length === 0 ? [] : [{ functionDeclarations }]), ...builtIns];
  return {
    ...(tools.length === 0 ? {} : { tools }),
    ...renderToolConfig(request, functionDeclarations.length > 0 || context.isOwnFormat),
  };
}

interface RenderedTool {
  readonly declaration?: JsonObject;
  readonly builtIn?: JsonObject;
}

function renderTool(tool: ChatTool, field: string, context: RenderContext): RenderedTool {
  if (tool.cacheMarker !== undefined)
    context.lose(`${field}.cache_control`, 'Gemini caches automatically and has no cache markers');
  if (tool.kind === 'function') return { declaration: renderFunction(tool, field, context) };
  const builtIn = readRest(tool);
  if (tool.kind === 'built-in' && !isEmpty(builtIn)) return { builtIn };
  const reason =
    tool.kind === 'custom'
      ? 'the format does not support custom tools'
      : 'the built-in tool belongs to another provider';
  context.lose(field, reason);
  return {};
}

function renderFunction(
  tool: Extract<ChatTool, { kind: 'function' }>,
  field: string,
  context: RenderContext,
): JsonObject {
  if (tool.strict === true) context.lose(`${field}.strict`, 'the format does not support this setting');
  const spelling = readSpelling(tool);
  return {
    name: tool.name,
    ...optional('description', tool.description),
    ...(isEmpty(spelling) ? renderParameters(tool.parameters) : spelling),
    ...readRest(tool),
  };
}

function renderParameters(parameters: unknown): JsonObject {
  const schema = asObject(parameters);
  // Google's API rejects an object schema without properties, so `parameters` is omitted.
  if (schema === undefined || isEmpty(asObject(schema.properties) ?? {})) return {};
  return isPlainSchema(schema) ? { parameters: schema } : { parametersJsonSchema: schema };
}

function renderToolConfig(request: ChatRequest, hasFunctions: boolean): JsonObject {
  const { toolConfig } = readRest(request);
  const rest = asObject(toolConfig) ?? {};
  const spelled = asObject(readSpelling(request).functionCallingConfig);
  const choice = spelled ?? (hasFunctions ? renderFunctionCalling(request.toolChoice) : {});
  const config = {
    ...rest,
    ...optional('functionCallingConfig', { ...choice, ...asObject(rest.functionCallingConfig) }),
  };
  return optional('toolConfig', config);
}
