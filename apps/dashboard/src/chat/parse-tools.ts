import type { PlaygroundTool } from './conversation.ts';

type Json = Readonly<Record<string, unknown>>;

/** A problem with the tools that the user pasted. The page shows this message to the user. */
export class ToolsError extends Error {
  override readonly name = 'ToolsError';
}

/**
 * Parses tools in any of the three chat formats or in the format of an MCP server's tool list. The text is an
 * array, or an object with an array in `tools` or `toolConfig.tools`. An empty text means no tools. Throws a
 * `ToolsError` for invalid tools.
 */
export function parseTools(text: string): PlaygroundTool[] {
  if (text.trim() === '') return [];
  const list = findList(parseJson(text));
  if (list === undefined)
    throw new ToolsError('Paste a JSON array of tools, or an object with one in "tools".');
  return list.map(parseTool);
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    const why = error instanceof Error ? error.message : '';
    throw new ToolsError(`This is not JSON yet: ${why}`, { cause: error });
  }
}

function findList(value: unknown): readonly unknown[] | undefined {
  if (Array.isArray(value)) return value as unknown[];
  if (!isObject(value)) return undefined;
  return findList(value['tools'] ?? value['toolConfig']);
}

function parseTool(value: unknown, at: number): PlaygroundTool {
  if (!isObject(value)) throw new ToolsError(`Tool ${at + 1} is not an object.`);
  const tool = [value['function'], value['toolSpec']].find(isObject) ?? value;
  const { name, description } = tool;
  if (typeof name !== 'string' || name === '') throw new ToolsError(`Tool ${at + 1} has no name.`);
  return { name, description: typeof description === 'string' ? description : '', schema: findSchema(tool) };
}

function findSchema(tool: Json): Json {
  const { parameters, input_schema: snake, inputSchema: camel } = tool;
  const wrapped = isObject(camel) && isObject(camel['json']) ? camel['json'] : camel;
  return [parameters, snake, wrapped].find(isObject) ?? { type: 'object', properties: {} };
}

function isObject(value: unknown): value is Json {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
