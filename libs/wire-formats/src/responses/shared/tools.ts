import type { ChatTool, JsonObject, Loss, ToolChoice, ToolGrammar } from '@gateway/interchange';
import { listCustom } from '../../common/tool-names.ts';
import { asList, asObject, asText, isObject, optional, otherMembers } from '../../json/read-members.ts';
import { own } from './settings.ts';

/** Pattern for tool names, from OpenAI's API reference, `name` in functions and custom tools. */
export const toolNamePattern = /^[\w-]{1,64}$/;

/** Parses a tool. A tool that is neither a function nor a custom tool becomes a built-in tool. */
export function parseTool(raw: JsonObject): ChatTool {
  const name = asText(raw.name);
  const isKnown = raw.type === 'function' || raw.type === 'custom';
  if (!isKnown || name === undefined) return { kind: 'built-in', extensions: own.of(raw) };
  const described = { name, ...optional('description', asText(raw.description)) };
  if (raw.type === 'custom') {
    const grammar = parseGrammar(raw.format);
    const read = ['type', 'name', 'description', ...(grammar === undefined ? [] : ['format'])];
    return {
      kind: 'custom',
      ...described,
      ...optional('grammar', grammar),
      ...own.with(otherMembers(raw, read)),
    };
  }
  const strict = typeof raw.strict === 'boolean' ? raw.strict : undefined;
  const rest = otherMembers(raw, ['type', 'name', 'description', 'parameters', 'strict']);
  return {
    kind: 'function',
    ...described,
    ...optional('parameters', raw.parameters),
    ...optional('strict', strict),
    ...own.with(rest),
  };
}

function parseGrammar(raw: unknown): ToolGrammar | undefined {
  const format = asObject(raw);
  const [syntax, definition] = [asText(format?.syntax), asText(format?.definition)];
  if (format?.type !== 'grammar' || syntax === undefined || definition === undefined) return undefined;
  return { syntax, definition };
}

/**
 * Renders a tool. OpenAI treats a function without the field `strict` as strict, and rejects many schemas of
 * strict functions. In other formats, a function without the field `strict` is not strict. The gateway always
 * sends a function from another format with the field `strict`.
 */
export function renderTool(
  tool: ChatTool,
  index: number,
  isOwnFormat: boolean,
  losses: Loss[],
): JsonObject[] {
  const members = own.read(tool);
  if (tool.kind === 'built-in') {
    if (Object.keys(members).length > 0) return [members];
    losses.push({ field: `tools[${index}]`, reason: 'the built-in tool belongs to another format' });
    return [];
  }
  if (tool.cacheMarker !== undefined)
    losses.push({ field: `tools[${index}].cache_control`, reason: 'the format has no such member' });
  const { kind, name, description } = tool;
  const described = { type: kind, name, ...optional('description', description) };
  if (tool.kind === 'custom') {
    const grammar = tool.grammar === undefined ? {} : { format: { type: 'grammar', ...tool.grammar } };
    return [{ ...described, ...grammar, ...members }];
  }
  const { parameters, strict } = tool;
  const shape = isOwnFormat
    ? { ...optional('parameters', parameters), ...optional('strict', strict) }
    : { parameters: parameters ?? { type: 'object', properties: {} }, strict: strict ?? false };
  return [{ ...described, ...shape, ...members }];
}

/**
 * Parses `tool_choice`. Returns `unset` for an unknown shape. Hosted tools have no names, so a list of only
 * hosted tools is also `unset`.
 */
export function parseToolChoice(raw: unknown): ToolChoice {
  if (raw === 'auto' || raw === 'none' || raw === 'required') return { mode: raw };
  const choice = asObject(raw);
  const name = asText(choice?.name);
  if ((choice?.type === 'function' || choice?.type === 'custom') && name !== undefined)
    return { mode: 'tool', name };
  if (choice?.type !== 'allowed_tools') return { mode: 'unset' };
  const tools = asList(choice.tools);
  const names = tools.filter(isObject).flatMap((tool) => asText(tool.name) ?? []);
  if (names.length === 0) return { mode: 'unset' };
  return { mode: 'allowed', names, ...(choice.mode === 'required' ? { required: true } : {}) };
}

/** Renders `tool_choice`. Returns undefined if the client did not set a tool choice. */
export function renderToolChoice(
  choice: ToolChoice,
  tools: readonly ChatTool[],
): string | JsonObject | undefined {
  switch (choice.mode) {
    case 'unset':
      return undefined;
    case 'auto':
    case 'none':
    case 'required':
      return choice.mode;
    case 'tool':
      return renderNamed(choice.name, listCustom(tools));
    case 'allowed': {
      const custom = listCustom(tools);
      const allowed = choice.names.map((name) => renderNamed(name, custom));
      return {
        type: 'allowed_tools',
        mode: choice.required === true ? 'required' : 'auto',
        tools: allowed,
      };
    }
  }
}

function renderNamed(name: string, custom: ReadonlySet<string>): JsonObject {
  return { type: custom.has(name) ? 'custom' : 'function', name };
}
