import { namesInToolChoice } from '../../tool-choice.ts';
import type { Invariant } from './draft.ts';

/** `tool_choice` names only tools that are forwarded, as far as the client offered them at all. */
export const toolChoiceIsForwarded: Invariant = ({ outline, plan }) => {
  const names = namesInToolChoice(outline.toolChoice);
  if (names.length === 0) return null;
  const forwarded = new Set(plan.forwarded);
  for (const name of names) {
    const offered = outline.tools.filter((tool) => tool.name === name);
    if (offered.length > 0 && !offered.some((tool) => forwarded.has(tool.index))) {
      return `tool_choice names "${name}", which is not forwarded`;
    }
  }
  return null;
};
