import { GatewayError } from '@gateway/errors';
import type { RequestOutline, ToolOutline } from '@gateway/interchange';
import { namesInToolChoice } from '../../../request/request-facts.ts';

/**
 * A key's restrictions on tools. Names must match exactly. Denied tools override allowed tools. Null means no
 * restriction.
 */
export interface ToolLists {
  readonly allowedTools: readonly string[] | null;
  readonly deniedTools: readonly string[] | null;
}

/**
 * Returns the tools that a key may use, in the client's order. Tools without a name are server tools, which
 * no list can name.
 */
export function applyToolLists(outline: RequestOutline, lists: ToolLists): readonly ToolOutline[] {
  if (lists.allowedTools === null && lists.deniedTools === null) return outline.tools;
  const permits = permissionOf(lists);
  requirePermittedChoice(outline, permits);
  return outline.tools.filter((tool) => tool.name === undefined || permits(tool.name));
}

function permissionOf(lists: ToolLists): (name: string) => boolean {
  const allowed = lists.allowedTools && new Set(lists.allowedTools);
  const denied = new Set(lists.deniedTools ?? []);
  return (name) => !denied.has(name) && (allowed === null || allowed.has(name));
}

/** Throws `tool_not_allowed` if the client forces a tool that its key may not use. */
function requirePermittedChoice({ toolChoice }: RequestOutline, permits: (name: string) => boolean): void {
  const forced = namesInToolChoice(toolChoice).find((name) => !permits(name));
  if (forced === undefined) return;
  const message = `tool_choice names the tool "${forced}", which this API key may not use.`;
  throw new GatewayError('tool_not_allowed', { param: 'tool_choice', message });
}
