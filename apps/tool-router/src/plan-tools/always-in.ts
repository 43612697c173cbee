import type { PlanToolsRequest } from '@gateway/contracts';
import type { ToolCandidate } from '@gateway/interchange';
import type { ToolListIndex } from '../ranking/tool-list-index.ts';

export type AlwaysInReason = NonNullable<ToolCandidate['alwaysIn']>;

/**
 * Positions that are forwarded whatever they score, and why. The first reason found is the one that is told:
 * what the list fixes comes before what the transcript adds.
 */
export function findAlwaysIn(
  request: PlanToolsRequest,
  index: ToolListIndex,
  mentioned: ReadonlySet<number>,
): Map<number, AlwaysInReason> {
  const alwaysIn = findPinned(request, index);
  const add = (position: number, because: AlwaysInReason): void => {
    if (!alwaysIn.has(position)) alwaysIn.set(position, because);
  };
  const addByName = (name: string, because: AlwaysInReason): void => {
    for (const position of index.positionsByName.get(name) ?? []) add(position, because);
  };
  for (const name of request.forcedTools) addByName(name, 'tool_choice');
  for (const name of request.calledTools) addByName(name, 'called');
  for (const position of mentioned) add(position, 'mentioned');
  return alwaysIn;
}

/** Those that the list itself fixes: built-in tools, and tools with a cache marker. */
export function findPinned(
  request: Pick<PlanToolsRequest, 'pinned'>,
  index: ToolListIndex,
): Map<number, AlwaysInReason> {
  const pinned = new Map<number, AlwaysInReason>();
  for (const { position, because } of request.pinned) {
    if (position < index.names.length) pinned.set(position, because);
  }
  index.names.forEach((name, position) => {
    if (name === null && !pinned.has(position)) pinned.set(position, 'built_in');
  });
  return pinned;
}
