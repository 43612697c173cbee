import { setTimeout as wait } from 'node:timers/promises';
import { GatewayError } from '@gateway/errors';

/** Waits before the second question and those after it: together as long as a service takes to come back to the bus. */
const pausesMs = [50, 150, 400];

/**
 * Asks a service that may be on its way back, a few times. For questions that change nothing: after a restart of the
 * bus, callers are connected again before those who answer, and a request should not fail for that.
 */
export async function askAgain<Answer>(ask: () => Promise<Answer>): Promise<Answer> {
  for (const pauseMs of pausesMs) {
    try {
      return await ask();
    } catch (error) {
      if (!(error instanceof GatewayError) || error.code !== 'service_unavailable') throw error;
      await wait(pauseMs);
    }
  }
  return ask();
}
