import type { RequestOutline } from '@gateway/interchange';

/** The tools that `tool_choice` names: they are always forwarded. */
export function namesInToolChoice(choice: RequestOutline['toolChoice']): readonly string[] {
  if (choice.mode === 'tool') return [choice.name];
  return choice.mode === 'allowed' ? choice.names : [];
}
