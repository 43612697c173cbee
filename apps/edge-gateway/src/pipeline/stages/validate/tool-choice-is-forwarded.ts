import { namesInToolChoice } from '../../../request/request-facts.ts';
import type { Invariant } from './draft.ts';

/** `tool_choice` names only tools that are forwarded, as far as the client offered them at all. */
export const toolChoiceIsForwarded: Invariant = ({ outline, plan }) => {
  const names = namesInToolChoice(outline.toolChoice);
  if (names.length === 0) return null;
  const forwarded = new Set(plan.forwarded);
  const offered = new Set(outline.tools.map(({ name }) => name));
  const goes = new Set(outline.tools.flatMap(({ name, index }) => (forwarded.has(index) ? [name] : [])));
  const broken = names.find((name) => offered.has(name) && !goes.has(name));
  return broken === undefined ? null : `tool_choice names "${broken}", which is not forwarded`;
};
