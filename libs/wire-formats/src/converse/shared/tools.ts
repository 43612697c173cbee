import type { JsonObject, Loss, ToolChoice } from '@gateway/interchange';
import { parseExactJson } from '../../json/parse-json.ts';
import { isObject } from '../../json/read-members.ts';

/**
 * Renders the field `toolChoice`. Returns undefined for the mode `unset`, and for the mode `none`, which the
 * Converse format cannot express.
 */
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

/** The field for arguments that are not a JSON object, because the Converse format accepts only objects. */
const textMember = 'arguments';

/**
 * Renders the `input` field of a tool call from the text of the arguments. Arguments that are not a JSON
 * object are wrapped in an object.
 */
export function renderInput(argumentsText: string, field?: string, losses?: Loss[]): unknown {
  if (argumentsText.trim() === '') return {};
  try {
    const input = parseExactJson(argumentsText);
    if (isObject(input)) return input;
    // Some models write `null` for a tool without parameters.
    if (input === null) return {};
  } catch {
    // Arguments that are invalid JSON are wrapped in an object.
  }
  losses?.push({
    field: `${field ?? ''}.arguments`,
    reason: 'the arguments are not a JSON object and were wrapped in one',
  });
  return { [textMember]: argumentsText };
}
