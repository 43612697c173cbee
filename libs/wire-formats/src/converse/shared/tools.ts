import type { JsonObject, Loss, ToolChoice } from '@gateway/interchange';
import { parseExactJson } from '../../json/parse-json.ts';
import { isObject } from '../../json/read-members.ts';

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

/** Where arguments that are no JSON object go: the format takes objects alone. */
const textMember = 'arguments';

/** The member `input` of a call: JSON, where the interchange has its text. What is no object is wrapped in one. */
export function renderInput(argumentsText: string, field?: string, losses?: Loss[]): unknown {
  if (argumentsText.trim() === '') return {};
  try {
    const input = parseExactJson(argumentsText);
    if (isObject(input)) return input;
    // Some models write `null` where a tool takes nothing.
    if (input === null) return {};
  } catch {
    // Told below.
  }
  losses?.push({ field: `${field ?? ''}.arguments`, reason: 'not a JSON object: wrapped in one' });
  return { [textMember]: argumentsText };
}
