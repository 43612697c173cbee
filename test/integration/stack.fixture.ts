import { connectMessaging, type Messaging } from '@gateway/messaging';
import type { startStack } from '@gateway/testing';

export type Stack = Awaited<ReturnType<typeof startStack>>;

/**
 * The deadline for calls in tests, which allows for a service that stalls for a moment. The contracts' own
 * deadlines are shorter, because they are for client requests.
 */
const patience = { deadlineMs: 30_000 };

/**
 * Connects as one of the test stack's NATS users, with only the user's permissions. By default, calls wait
 * for a response for up to 30 seconds.
 */
export async function connectAs(stack: Stack, user: string): Promise<Messaging> {
  const instanceId = `integration-${user}-${process.pid}`;
  const messaging = await connectMessaging({ ...stack.natsCredentials(user), name: instanceId, instanceId });
  const call: Messaging['call'] = (contract, request, options) =>
    messaging.call(contract, request, { ...patience, ...options });
  return new Proxy(messaging, {
    get: (target, name) => {
      if (name === 'call') return call;
      const value: unknown = Reflect.get(target, name, target);
      return typeof value === 'function' ? (value.bind(target) as unknown) : value;
    },
  });
}

/**
 * Polls until `read` returns a value that is neither undefined nor null. Because the process may have stalled,
 * calls `read` once more after the timeout. The default timeout is longer than any delay on a busy machine. The
 * pauses between calls grow from 20 ms to 200 ms, which keeps the number of requests below the rate limits.
 */
export async function eventually<T>(read: () => T | Promise<T>, withinMs = 30_000): Promise<NonNullable<T>> {
  const deadline = performance.now() + withinMs;
  for (let pauseMs = 20; ; pauseMs = Math.min(200, pauseMs * 1.2)) {
    const isLast = performance.now() > deadline;
    const value = await read();
    if (value !== undefined && value !== null) return value;
    if (isLast) throw new Error(`the awaited value did not appear within ${withinMs} ms`);
    await new Promise((resolve) => setTimeout(resolve, pauseMs));
  }
}

const dayMs = 86_400_000;

/**
 * If midnight (UTC) is less than the given time away, waits until after midnight, so that the whole test runs
 * on one day.
 */
export async function untilDayLasts(forMs: number): Promise<void> {
  const leftMs = dayMs - (Date.now() % dayMs);
  if (leftMs < forMs) await new Promise((resolve) => setTimeout(resolve, leftMs + 1_000));
}

/** One cleanup step. */
export type Undo = () => unknown;

/** Runs the collected cleanup steps in reverse order, so that even a partial setup is undone. */
export async function undoAll(steps: readonly Undo[]): Promise<void> {
  for (const step of steps.toReversed()) await step();
}
