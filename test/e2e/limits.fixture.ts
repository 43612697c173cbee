import { sharedStack } from '@gateway/testing';
import { setTimeout as waitMs } from 'node:timers/promises';

const triesMax = 3;
/** By then a line of the log is in its file. */
const writtenAfterMs = 500;

const edges = ['edge-gateway', 'edge-gateway-2', 'edge-gateway-3'];
const countLocally = () =>
  edges.reduce((sum, name) => sum + sharedStack().logs(name).split('rate limits are local').length - 1, 0);

/**
 * Holds what edges count together, which takes a Redis that answers within a quarter of a second: one that a busy machine
 * kept from it has each edge count by itself for a moment, and says so. Then `run` begins anew; it makes its own keys.
 */
export async function whileCountedTogether(run: () => Promise<void>): Promise<void> {
  for (let tries = 1; ; tries++) {
    const before = countLocally();
    try {
      await run();
      return;
    } catch (error) {
      await waitMs(writtenAfterMs);
      if (tries === triesMax || countLocally() === before) throw error;
    }
  }
}
