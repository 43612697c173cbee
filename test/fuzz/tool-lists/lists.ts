import type { ToolLists } from '../../../apps/edge-gateway/src/tool-lists/tool-permission.ts';
import { denied, permitted } from './evasive-requests.ts';

/** The generated API keys' allowed and denied tools. */
export const lists: readonly ToolLists[] = [
  { allowedTools: null, deniedTools: [...denied] },
  { allowedTools: [...permitted], deniedTools: null },
  { allowedTools: [...permitted, 'mcp', 'shop', 'bash', 'web_search'], deniedTools: ['erase', 'bash'] },
];

/**
 * Returns a tool name that the API key may not use. This function implements the gateway's rule for tool lists
 * independently, in its simplest form.
 */
export function findForbidden(
  names: Iterable<string>,
  { allowedTools, deniedTools }: ToolLists,
): string | undefined {
  return [...names].find(
    (name) => (deniedTools ?? []).includes(name) || (allowedTools !== null && !allowedTools.includes(name)),
  );
}
