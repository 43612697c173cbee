import { sharedStack } from '@gateway/testing';
import { setTimeout as waitMs } from 'node:timers/promises';

const triesMax = 3;
/** Time until a log line is in its file. */
const writtenAfterMs = 500;

const edges = ['edge-gateway', 'edge-gateway-2', 'edge-gateway-3'];
const [begins, ends] = ['rate limits are local', 'rate limits are shared again'];

/** How often edges have switched to local counting, and whether one of them still counts locally. */
function readLogs() {
  const logs = edges.map((name) => sharedStack().logs(name));
  return {
    begun: logs.reduce((sum, log) => sum + log.split(begins).length - 1, 0),
    isOngoing: logs.some((log) => log.lastIndexOf(begins) > log.lastIndexOf(ends)),
  };
}

/**
 * Runs a test of shared counting, which needs Redis to respond within 250 ms. On a busy machine, edges may log that they count
 * locally for a moment. Then `run` starts again with new keys, which it creates itself.
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
