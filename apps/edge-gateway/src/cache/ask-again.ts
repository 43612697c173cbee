import { setTimeout as wait } from 'node:timers/promises';
import { GatewayError } from '@gateway/errors';

/** Waits before each further question: together as long as a service takes to come back to the bus. */
const pausesMs = [50, 150, 400];

/**
 * Asks a service again that was not there, a few times. For questions that change nothing: after a restart of the bus,
 * callers are connected again before those who answer, and a request should not fail for that.
 *
 * @param failure why it could not be asked; thrown at once unless it is `service_unavailable`.
 */
export async function askAgain<Answer>(failure: unknown, ask: () => Promise<Answer>): Promise<Answer> {
  let last = failure;
  for (const pauseMs of pausesMs) {
    if (!(last instanceof GatewayError) || last.code !== 'service_unavailable') break;
    await wait(pauseMs);
    try {
      return await ask();
    } catch (error) {
      last = error;
    }
  }
  throw last;
}
