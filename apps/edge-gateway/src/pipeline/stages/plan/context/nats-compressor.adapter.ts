import { compressBlocks, compressBlocksAt, recallOriginals } from '@gateway/contracts';
import type { Messaging } from '@gateway/messaging';
import type { CompressorClient } from './context-planner.ts';

/** A model that asks for an original waits for seconds anyway: for its own next answer. */
const recallDeadlineMs = 5_000;

/** @param planDeadlineMs what all questions of one plan have together; each may take what is left of it. */
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
