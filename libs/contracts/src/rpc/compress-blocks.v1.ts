import { z } from 'zod';
import { count, id, sha256Hex } from '../common.ts';
import { defineRpc } from '../define.ts';
import { blockId } from './read-token-counts.v1.ts';
import { markerId } from './recall-originals.v1.ts';

const compressBlocksRequest = z.object({
  mode: z.enum(['lossless', 'balanced']),
  /** Whose originals are kept. Absent from edges of the version before, whose `recoverable` is always false. */
  accountId: id.optional(),
  /** Whether what is left out can be brought back; without it nothing is left out. */
  recoverable: z.boolean(),
  /** Names account and session: in the ids of markers, and to `recall-originals`. */
  sessionSeed: sha256Hex,
  /**
   * What was sent before the blocks, as a hash over it: the compressor goes on from there if it remembers, else it answers
   * `unknown`. Null: nothing was, the blocks are the whole conversation.
   */
  after: sha256Hex.nullable(),
  /** What will have been sent after them: the name under which the compressor remembers. */
  upTo: sha256Hex,
  /** In the order of the conversation. */
  blocks: z.array(
    z.object({
      speaker: z.enum(['system', 'user', 'assistant', 'tool']),
      text: z.string(),
      /** Never changed: only there to be referred to. */
      frozen: z.boolean(),
      /** A result from long ago: a summary of it is enough, if what is left out can be brought back. */
      old: z.boolean().optional(),
    }),
  ),
  /** What this marker stands for is wanted: it is made again with the conversation, where it is not kept any more. */
  recall: markerId.optional(),
});

const compressBlocksReply = z.discriminatedUnion('status', [
  z.object({
    status: z.literal('compressed'),
    /** One for each block. */
    results: z.array(
      z.object({
        /** What to send instead; null for the block as it is. */
        text: z.string().nullable(),
        steps: z.array(z.object({ step: z.string(), tokensBefore: count, tokensAfter: count })),
        /** What exact counts of it are kept under. Absent for the block as it is, and from compressors of the version before. */
        id: blockId.optional(),
        /** Ids of the markers in it, in their order. Absent from compressors of the version before: none. */
        markers: z.array(markerId).default([]),
      }),
    ),
    /** What was wanted, where a marker in the blocks stands for it. */
    original: z.string().optional(),
  }),
  /** Ask this instance again with the whole conversation. */
  z.object({ status: z.literal('unknown'), instanceId: z.string() }),
]);

/**
 * Compresses what is new of a conversation. Pure: the same blocks after the same beginning give the same answer on every
 * replica, whether it remembers the beginning or is told it again.
 */
export const compressBlocks = defineRpc({
  subject: 'compressor.compress-blocks.v1',
  server: 'compressor',
  callers: ['edge-gateway'],
  deadlineMs: 150,
  request: compressBlocksRequest,
  reply: compressBlocksReply,
});
export type CompressBlocksRequest = z.infer<typeof compressBlocksRequest>;
export type CompressBlocksReply = z.infer<typeof compressBlocksReply>;

/** The same question, put to one instance: the one that did not know the beginning. */
export const compressBlocksAt = defineRpc({
  ...compressBlocks,
  subject: 'compressor.compress-blocks-at.v1',
  perInstance: true,
});
