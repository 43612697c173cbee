import type { ChatRequest, ChatTool, JsonObject } from '@gateway/interchange';
import { asObject, isEmpty, optional } from '../../json/read-members.ts';
import { readRest } from '../own.ts';
import type { RenderContext } from './render-context.ts';

/** The members `tools`, `tool_choice` and `strict_tools`. */
export function renderTools(request: ChatRequest, context: RenderContext): JsonObject {
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

/** The format cannot name the tool to call: the others are left out, which comes to the same. */
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
  if (tool.cacheMarker !== undefined) context.lose(`${field}.cache_control`, 'Cohere caches by itself');
  const rest = readRest(tool);
  if (tool.kind === 'function') {
    const { function: body, ...members } = rest;
    // The format insists on an object of parameters.
    const parameters = tool.parameters ?? { type: 'object', properties: {} };
    const described = { name: tool.name, ...optional('description', tool.description), parameters };
    return [{ type: 'function', function: { ...described, ...asObject(body) }, ...members }];
  }
  if (tool.kind === 'built-in' && !isEmpty(rest)) return [rest];
  context.lose(
    field,
    tool.kind === 'custom' ? 'a tool that takes text' : "a built-in tool of another format's providers",
  );
  return [];
}

/** Strictness is of all tools together here. */
function renderStrict(tools: readonly ChatTool[], context: RenderContext): JsonObject {
  const functions = tools.filter((tool) => tool.kind === 'function');
  const strict = functions.filter((tool) => tool.strict === true);
  if (strict.length === 0) return {};
  if (strict.length === functions.length) return { strict_tools: true };
  context.lose('tools.strict', 'all tools are strict in the format, or none');
  return {};
}
