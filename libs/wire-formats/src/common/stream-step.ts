import type { StreamEvent } from '@gateway/interchange';

/**
 * The result of one step of a stream parser. A result contains the parser's next state and the emitted
 * events.
 */
export type Step<State> = readonly [State, readonly StreamEvent[]];

/** Runs the parser steps in order. Each step starts from the previous step's state. */
export function chainSteps<State>(
  state: State,
  steps: readonly ((state: State) => Step<State>)[],
): Step<State> {
  let current = state;
  const emitted: StreamEvent[] = [];
  for (const step of steps) {
    const [next, events] = step(current);
    current = next;
    // `push(...events)` would fail, because a function call accepts a limited number of arguments.
    for (const event of events) emitted.push(event);
  }
  return [current, emitted];
}
