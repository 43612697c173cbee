import { connectMessaging, type Messaging } from '@gateway/messaging';
import type { startStack } from '@gateway/testing';

export type Stack = Awaited<ReturnType<typeof startStack>>;

/** What a service takes to answer when it stood still for a moment: deadlines of contracts are those of requests under way. */
const patience = { deadlineMs: 30_000 };

/** Connects with the rights of one of the suite's NATS users, and with no more. Waits long for answers, unless told. */
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
 * Polls until `read` gives a value that is neither undefined nor null. It is asked once more after the time is over: a
 * process that stood still has not waited. Longer than anything takes on a busy machine, unless a test says how soon it
 * has to be.
 */
export async function eventually<T>(read: () => T | Promise<T>, withinMs = 30_000): Promise<NonNullable<T>> {
  const deadline = performance.now() + withinMs;
  for (;;) {
    const isLast = performance.now() > deadline;
    const value = await read();
    if (value !== undefined && value !== null) return value;
    if (isLast) throw new Error(`nothing within ${withinMs} ms`);
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}

const dayMs = 86_400_000;

/** Waits over midnight (UTC) when it comes within so long: what is counted by the day or the month falls into one of them. */
export async function untilDayLasts(forMs: number): Promise<void> {
  const leftMs = dayMs - (Date.now() % dayMs);
  if (leftMs < forMs) await new Promise((resolve) => setTimeout(resolve, leftMs + 1_000));
}

/** One step of a tear-down. */
export type Undo = () => unknown;

/** Runs the steps that a set-up has left, the last first, so that one that stopped half-way is undone as well. */
export async function undoAll(steps: readonly Undo[]): Promise<void> {
  for (const step of steps.toReversed()) await step();
}
