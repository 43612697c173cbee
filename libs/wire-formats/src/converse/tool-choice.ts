import type { JsonObject, ToolChoice } from '@gateway/interchange';

/** The member `toolChoice` of `toolConfig`. Undefined where the format leaves it out, or has no word for it. */
export function renderToolChoice(choice: ToolChoice): JsonObject | undefined {
  switch (choice.mode) {
    case 'unset':
    case 'none':
      return undefined;
    case 'auto':
      return { auto: {} };
    case 'required':
      return { any: {} };
    case 'allowed':
      return choice.required === true ? { any: {} } : { auto: {} };
    case 'tool':
      return { tool: { name: choice.name } };
  }
}
