import type { CompressBlocksReply, CompressBlocksRequest } from '@gateway/contracts';
import { ConversationCompressor } from './conversation.ts';
import type { ConversationStore } from './conversation-store.ts';

/** Room under the 8 MiB limit of a message; what does not fit any more goes as it came. */
const replyBytesMax = 7 * 1024 * 1024;
/** A UTF-16 unit in JSON: six bytes at worst, an escape; most texts are near one. */
const bytesPerUnit = 3;

interface BlockServices {
  readonly store: ConversationStore;
  readonly instanceId: string;
}

/** Goes on from a conversation that is remembered, or begins with the whole of it. */
export function compressBlocks(
  request: CompressBlocksRequest,
  { store, instanceId }: BlockServices,
): CompressBlocksReply {
  const { after, upTo, blocks, mode, recoverable, sessionSeed } = request;
  const conversation =
    after === null ? new ConversationCompressor({ mode, recoverable, sessionSeed }) : store.take(after);
  if (conversation === undefined) return { status: 'unknown', instanceId };
  let bytes = 0;
  const results = blocks.map((block) => {
    const isFull = bytes > replyBytesMax;
    const { text, steps } = conversation.add(isFull ? { ...block, frozen: true } : block);
    bytes += 256 + (text?.length ?? 0) * bytesPerUnit;
    return { text, steps: [...steps] };
  });
  store.keep(upTo, conversation);
  return { status: 'compressed', results };
}
