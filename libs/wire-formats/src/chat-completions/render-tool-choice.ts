import type { ChatTool, JsonObject, ToolChoice } from '@gateway/interchange';

/** The member `tool_choice`; undefined where the client left it out. */
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
      return renderNamed(choice.name, tools);
    case 'allowed': {
      const allowed = choice.names.map((name) => renderNamed(name, tools));
      const mode = choice.required === true ? 'required' : 'auto';
      return { type: 'allowed_tools', allowed_tools: { mode, tools: allowed } };
    }
  }
}

function renderNamed(name: string, tools: readonly ChatTool[]): JsonObject {
  const isCustom = tools.some((tool) => tool.kind === 'custom' && tool.name === name);
  return isCustom ? { type: 'custom', custom: { name } } : { type: 'function', function: { name } };
}
