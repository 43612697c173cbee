import { sharedStack } from '@gateway/testing';
import { setTimeout as waitMs } from 'node:timers/promises';

const triesMax = 3;
/** By then a line of the log is in its file. */
const writtenAfterMs = 500;

const edges = ['edge-gateway', 'edge-gateway-2', 'edge-gateway-3'];
const [begins, ends] = ['rate limits are local', 'rate limits are shared again'];

/** How often edges have begun to count by themselves, and whether one of them is at it still. */
function readLogs() {
  const logs = edges.map((name) => sharedStack().logs(name));
  return {
    begun: logs.reduce((sum, log) => sum + log.split(begins).length - 1, 0),
    isOngoing: logs.some((log) => log.lastIndexOf(begins) > log.lastIndexOf(ends)),
  };
}

/**
 * Holds what edges count together, which takes a Redis that answers within a quarter of a second: one that a busy machine
 * kept from it has each edge count by itself for a moment, and says so. Then `run` begins anew; it makes its own keys.
 */
export async function whileCountedTogether(run: () => Promise<void>): Promise<void> {
  for (let tries = 1; ; tries++) {
    const before = readLogs();
    try {
      await run();
      return;
    } catch (error) {
      await waitMs(writtenAfterMs);
      const isAlone = before.isOngoing || readLogs().begun > before.begun;
      if (tries === triesMax || !isAlone) throw error;
    }
  }
}
