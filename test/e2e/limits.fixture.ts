import { sharedStack } from '@gateway/testing';
import { setTimeout as waitMs } from 'node:timers/promises';

const triesMax = 3;
/** The time in milliseconds until a log line is in its log file. */
const writtenAfterMs = 500;

const edges = ['edge-gateway', 'edge-gateway-2', 'edge-gateway-3'];
const [begins, ends] = ['rate limits are local', 'rate limits are shared again'];

/**
 * Returns the number of switches of edges to local counting. Also returns whether any edge still counts
 * locally.
 */
function readLogs() {
  const logs = edges.map((name) => sharedStack().logs(name));
  return {
    begun: logs.reduce((sum, log) => sum + log.split(begins).length - 1, 0),
    isOngoing: logs.some((log) => log.lastIndexOf(begins) > log.lastIndexOf(ends)),
  };
}

/**
 * Runs a test that needs shared counting, which requires Redis to respond within 250 ms. On a busy machine,
 * edges may briefly switch to local counting and log the switch. In that case, the function calls `run`
 * again, and `run` creates new API keys.
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
