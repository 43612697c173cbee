import { z } from 'zod';
import { count, id, sha256Hex } from '../base/common.ts';
import { defineRpc } from '../base/define.ts';

/**
 * Compresses tool definitions without changing which arguments are valid. The edge sends only definitions that it has
 * no answer for; the answer is a pure function of the mode and the definition's bytes, so it may keep it for ever.
 */
export const compressSchemas = defineRpc({
  subject: 'compressor.compress-schemas.v1',
  server: 'compressor',
  callers: ['edge-gateway'],
  deadlineMs: 150,
  request: z.object({
    /** `balanced` holds long descriptions to a budget a tool. Absent from edges of the version before. */
    mode: z.enum(['lossless', 'balanced']).default('lossless'),
    definitions: z.array(
      z.object({
        hash: sha256Hex,
        /** The definition exactly as the client wrote it (UTF-8 JSON). */
        text: z.string(),
      }),
    ),
  }),
  reply: z.object({
    results: z.array(
      z.object({
        hash: sha256Hex,
        /** Byte ranges of the definition's UTF-8 text, ascending, not overlapping. */
        edits: z.array(z.object({ start: count, end: count, replacement: z.string() })),
        steps: z.array(z.object({ step: z.string(), tokensBefore: count, tokensAfter: count })),
      }),
    ),
  }),
});
export type CompressSchemasReply = z.infer<typeof compressSchemas.reply>;

/** Names a block of context, the same as often as it is compressed: from its session and its text. */
export const blockId = z.string().regex(/^[0-9a-f]{16}$/);

export const tokenCounts = z.object({ before: count, after: count });
export type TokenCounts = z.infer<typeof tokenCounts>;

/**
 * Exact tokens (o200k) of compressed blocks, before and after, in the order asked. They are counted when nobody waits for them;
 * null for what is not counted yet, or not kept any more.
 */
export const readTokenCounts = defineRpc({
  subject: 'compressor.read-token-counts.v1',
  server: 'compressor',
  callers: ['edge-gateway'],
  deadlineMs: 1_000,
  request: z.object({ blocks: z.array(blockId).min(1).max(64) }),
  reply: z.object({ counts: z.array(tokenCounts.nullable()) }),
});

/** What stands in a marker: `[… 12 lines left out: 0123456789ab]`. */
export const markerId = z.string().regex(/^[0-9a-f]{12}$/);

/**
 * What markers stand for, by the account and the session that they were made in: to any other, and after a day, an id means
 * nothing. Answers in the order asked; null for what is not kept, and for what does not fit into one message beside those before
 * it (asked for alone, each does).
 */
export const recallOriginals = defineRpc({
  subject: 'compressor.recall-originals.v1',
  server: 'compressor',
  callers: ['edge-gateway'],
  deadlineMs: 1_000,
  request: z.object({
    accountId: id,
    /** As in `compress-blocks`: the session's seed. */
    session: sha256Hex,
    ids: z.array(markerId).min(1).max(64),
  }),
  reply: z.object({ originals: z.array(z.string().nullable()) }),
});
export type RecallOriginalsRequest = z.infer<typeof recallOriginals.request>;

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
