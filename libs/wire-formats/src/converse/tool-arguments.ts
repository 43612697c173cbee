import type { Loss } from '@gateway/interchange';
import { parseExactJson } from '../json/parse-json.ts';
import { isObject } from '../json/read-members.ts';

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
