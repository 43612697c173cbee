import { compressBlocks, compressBlocksAt, recallOriginals } from '@gateway/contracts';
import type { Messaging } from '@gateway/messaging';
import type { CompressorClient } from './context-planner.ts';

/**
 * Time limit for a recall in milliseconds. A recall may take longer than planning, because the model's next
 * response takes seconds anyway.
 */
const recallDeadlineMs = 5_000;

/**
 * Creates a compressor client.
 * @param planDeadlineMs limit for all calls in one plan together; each call may use the remaining time.
 */
export function createCompressorClient(messaging: Messaging, planDeadlineMs: number): CompressorClient {
  return {
    compress: (request, signal, instanceId) => {
      const deadlineMs = request.recall === undefined ? planDeadlineMs : recallDeadlineMs;
      return instanceId === undefined
        ? messaging.call(compressBlocks, request, { signal, deadlineMs })
        : messaging.call(compressBlocksAt, request, { signal, deadlineMs, instanceId });
    },
    recall: async (request, signal) => {
      const { originals } = await messaging.call(recallOriginals, request, { signal });
      return originals;
    },
  };
}
