import type { Pieces } from '@gateway/messaging';

/**
 * Runs all pieces of the work without pauses, for callers that share the event loop with no other account.
 */
export function runAtOnce<Result>(pieces: Pieces<Result>): Result {
  let step = pieces.next();
  while (step.done !== true) step = pieces.next();
  return step.value;
}
