import type { ToolLists } from '../../../apps/edge-gateway/src/tool-lists/tool-permission.ts';
import { denied, permitted } from './evasive-requests.ts';

/** The allowed and denied tools of the generated API keys. */
export const lists: readonly ToolLists[] = [
  { allowedTools: null, deniedTools: [...denied] },
  { allowedTools: [...permitted], deniedTools: null },
  { allowedTools: [...permitted, 'mcp', 'shop', 'bash', 'web_search'], deniedTools: ['erase', 'bash'] },
];

/**
 * Returns a tool name that the API key may not use. The test implements the rule separately, in its simplest
 * form.
 */
export function findForbidden(
  names: Iterable<string>,
  { allowedTools, deniedTools }: ToolLists,
): string | undefined {
  return [...names].find(
    (name) => (deniedTools ?? []).includes(name) || (allowedTools !== null && !allowedTools.includes(name)),
  );
}
