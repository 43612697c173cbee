import type { JsonObject, ToolChoice } from '@gateway/interchange';

/**
 * The member `tool_choice`; undefined where there is nothing to say. The format has no choice among some of the tools:
 * whoever renders those leaves the others out.
 */
export function renderToolChoice(
  choice: ToolChoice,
  parallelToolCalls: boolean | undefined,
): JsonObject | undefined {
  const disables = parallelToolCalls === undefined ? {} : { disable_parallel_tool_use: !parallelToolCalls };
  switch (choice.mode) {
    case 'unset':
      return parallelToolCalls === false ? { type: 'auto', ...disables } : undefined;
    case 'auto':
      return { type: 'auto', ...disables };
    case 'none':
      return { type: 'none' };
    case 'required':
      return { type: 'any', ...disables };
    case 'tool':
      return { type: 'tool', name: choice.name, ...disables };
    case 'allowed':
      return { type: choice.required === true ? 'any' : 'auto', ...disables };
  }
}
