import { sharedStack } from '@gateway/testing';
import { setTimeout as waitMs } from 'node:timers/promises';

const triesMax = 3;
/** The maximum time in milliseconds before a service has written a log line to its log file. */
const writtenAfterMs = 500;

const edges = ['edge-gateway', 'edge-gateway-2', 'edge-gateway-3'];
const [begins, ends] = ['rate limits are local', 'rate limits are shared again'];

/**
 * Counts how often edges switched to counting requests locally. `isOngoing` is true if any edge is still
 * counting locally.
 */
function readLogs() {
  const logs = edges.map((name) => sharedStack().logs(name));
  return {
    begun: logs.reduce((sum, log) => sum + log.split(begins).length - 1, 0),
    isOngoing: logs.some((log) => log.lastIndexOf(begins) > log.lastIndexOf(ends)),
  };
}

/**
 * Runs a test that requires all edges to count requests together in Redis. An edge counts locally if Redis does
 * not respond within 250 ms, for example on a busy machine. An edge logs each switch to local counting. If an
 * edge switched to local counting during `run`, this function calls `run` again, which creates new API keys.
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
