import {
  compressBlocks,
  compressBlocksAt,
  recallOriginals,
  type CompressBlocksReply,
  type CompressBlocksRequest,
  type RecallOriginalsRequest,
} from '@gateway/contracts';
import type { Messaging } from '@gateway/messaging';

/** Client for the compressor service. */
export interface CompressorClient {
  /**
   * Sends a conversation to a compressor. `instanceId` addresses the compressor instance that reported a
   * missing conversation in its previous reply. Without `instanceId`, any instance is called.
   * @param isPatient whether the call may take several seconds, unlike a call during planning
   */
  compress(
    request: CompressBlocksRequest,
    signal: AbortSignal,
    instanceId?: string,
    isPatient?: boolean,
  ): Promise<CompressBlocksReply>;
  recall(request: RecallOriginalsRequest, signal: AbortSignal): Promise<(string | null)[]>;
}

/**
 * Time limit in milliseconds for the recall of removed text. A recall may take longer than planning, because the
 * model's next response takes several seconds anyway.
 */
const patientDeadlineMs = 5_000;

/**
 * Creates a client for the compressor service.
 * @param planDeadlineMs total time limit for all calls of one plan
 */
export function createCompressorClient(messaging: Messaging, planDeadlineMs: number): CompressorClient {
  return {
    compress: (request, signal, instanceId, isPatient = request.recall !== undefined) => {
      const deadlineMs = isPatient ? patientDeadlineMs : planDeadlineMs;
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
