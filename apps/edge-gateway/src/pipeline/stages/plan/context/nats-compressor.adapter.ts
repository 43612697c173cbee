import { compressBlocks, compressBlocksAt, recallOriginals } from '@gateway/contracts';
import type { Messaging } from '@gateway/messaging';
import type { CompressorClient } from './context-planner.ts';

/** @param deadlineMs what all questions of one plan have together; each may take what is left of it. */
export function createCompressorClient(messaging: Messaging, deadlineMs: number): CompressorClient {
  return {
    compress: (request, signal, instanceId) =>
      instanceId === undefined
        ? messaging.call(compressBlocks, request, { signal, deadlineMs })
        : messaging.call(compressBlocksAt, request, { signal, deadlineMs, instanceId }),
    recall: async (request, signal) => {
      const { originals } = await messaging.call(recallOriginals, request, { signal });
      return originals;
    },
  };
}
