import type { Invariant } from './draft.ts';

/**
 * A tool that the transcript calls is still defined, if the client defined it and its key may use it, or its calls go out as
 * calls of the one that stands for it.
 */
export const calledToolsAreDefined: Invariant = ({ outline, plan }) => {
  if (plan.native !== undefined || plan.eligible.length === 0) return null;
  const called = new Set(outline.messages.flatMap((message) => message.toolCalls.map((call) => call.name)));
  const forwarded = new Set(plan.forwarded);
  const dropped = plan.eligible.find((index) => {
    const name = outline.tools[index]?.name;
    if (name === undefined || !called.has(name) || forwarded.has(index)) return false;
    return plan.recovery === undefined || !plan.recovery.pruned.has(name);
  });
  return dropped === undefined
    ? null
    : `the tool "${outline.tools[dropped]?.name ?? ''}" was called and is not forwarded`;
};
