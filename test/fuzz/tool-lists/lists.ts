import type { ToolLists } from '../../../apps/edge-gateway/src/tool-lists/tool-permission.ts';
import { denied, permitted } from './evasive-requests.ts';

/** The lists of the generated keys. */
export const lists: readonly ToolLists[] = [
  { allowedTools: null, deniedTools: [...denied] },
  { allowedTools: [...permitted], deniedTools: null },
  { allowedTools: [...permitted, 'mcp', 'shop', 'bash', 'web_search'], deniedTools: ['erase', 'bash'] },
];

/**
 * Returns a name that the lists do not permit. The rule is implemented separately here, in its plainest form.
 */
export function findForbidden(
  names: Iterable<string>,
  { allowedTools, deniedTools }: ToolLists,
): string | undefined {
  return [...names].find(
    (name) => (deniedTools ?? []).includes(name) || (allowedTools !== null && !allowedTools.includes(name)),
  );
}
