import type { ChatRequest, ChatTool, JsonObject } from '@gateway/interchange';
import { asObject, isEmpty, optional } from '../../json/read-members.ts';
import { readRest, readSpelling } from '../own.ts';
import { renderFunctionCalling } from '../render-tool-choice.ts';
import { isPlainSchema } from '../schema.ts';
import type { RenderContext } from './render-context.ts';

/** The members `tools` and `toolConfig`. */
export function renderTools(request: ChatRequest, context: RenderContext): JsonObject {
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
  if (tool.cacheMarker !== undefined) context.lose(`${field}.cache_control`, 'Gemini caches by itself');
  if (tool.kind === 'function') return { declaration: renderFunction(tool, field, context) };
  const builtIn = readRest(tool);
  if (tool.kind === 'built-in' && !isEmpty(builtIn)) return { builtIn };
  const reason =
    tool.kind === 'custom' ? 'a tool that takes text' : "a built-in tool of another format's providers";
  context.lose(field, reason);
  return {};
}

function renderFunction(
  tool: Extract<ChatTool, { kind: 'function' }>,
  field: string,
  context: RenderContext,
): JsonObject {
  if (tool.strict === true) context.lose(`${field}.strict`, 'the format cannot demand it');
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
  // A function without parameters: the API's own schema refuses an object without properties.
  if (schema === undefined || isEmpty(asObject(schema.properties) ?? {})) return {};
  return isPlainSchema(schema) ? { parameters: schema } : { parametersJsonSchema: schema };
}

function renderToolConfig(request: ChatRequest, hasFunctions: boolean): JsonObject {
  const { toolConfig } = readRest(request);
  const rest = asObject(toolConfig) ?? {};
  const spelled = asObject(readSpelling(request).functionCallingConfig);
  const said = spelled ?? (hasFunctions ? renderFunctionCalling(request.toolChoice) : {});
  const config = {
    ...rest,
    ...optional('functionCallingConfig', { ...said, ...asObject(rest.functionCallingConfig) }),
  };
  return optional('toolConfig', config);
}
