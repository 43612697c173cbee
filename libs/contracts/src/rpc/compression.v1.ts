import { z } from 'zod';
import { count, id, sha256Hex } from '../base/common.ts';
import { defineRpc } from '../base/define.ts';

/**
 * The output versions of the compression steps that a compressor can produce, oldest first. Add a version
 * whenever a step's output changes. Do not change the output of older versions, because a conversation with
 * bound reasoning keeps using its first version. An older version is needed for as long as conversation plans
 * are kept (`conversationPlanKeptDays`).
 */
export const contextStepsVersions: readonly number[] = [1];

/**
 * The output version for new conversations. The gateway derives the keys for stored results from the output
 * version. After a change to the output version, conversations without bound reasoning are compressed again
 * from the beginning.
 */
export const contextStepsVersion = 1;

/**
 * Steps that shorten the blocks of a conversation. Any change to the list of steps changes the output, so
 * increment `contextStepsVersion` with every change.
 */
export const contextSteps = [
  'repeated_block',
  'minify_json',
  'table_form',
  'terminal',
  'trailing_space',
  'blobs',
  'log_folding',
  'head_tail',
  'summary',
  'repeated_lines',
] as const;
export type ContextStepName = (typeof contextSteps)[number];

/**
 * Steps that shorten tool definitions. Shortened tool definitions are cached only in memory, so the steps for
 * tool definitions have no version.
 */
export type SchemaStepName =
  'whitespace' | '$schema' | '$comment' | 'repeated_description' | 'title' | 'long_descriptions';

/**
 * The effect of one compression step on one string, in estimated tokens. The step name is a `ContextStepName`
 * or a `SchemaStepName`. Readers accept unknown step names, because a newer compressor may have more steps.
 */
const stepReport = z.object({ step: z.string(), tokensBefore: count, tokensAfter: count });

/**
 * Compresses tool definitions. A compressed definition accepts the same arguments as the original. The
 * compressed definition depends only on the mode and the definition's bytes, so the gateway may cache it
 * indefinitely. The gateway sends only definitions without a compressed form in the gateway's cache.
 */
export const compressSchemas = defineRpc({
  subject: 'compressor.compress-schemas.v1',
  server: 'compressor',
  callers: ['edge-gateway'],
  deadlineMs: 150,
  request: z.object({
    /**
     * The compression mode. `balanced` also cuts long descriptions to a maximum number of tokens per tool.
     * Gateways of the previous release omit `mode`.
     */
    mode: z.enum(['lossless', 'balanced']).default('lossless'),
    /**
     * The account that sent the request. The compressor serves accounts in round-robin order. Gateways of the
     * previous release omit `accountId`.
     */
    accountId: id.optional(),
    definitions: z.array(
      z.object({
        hash: sha256Hex,
        /** The tool definition exactly as the client wrote it (UTF-8 JSON). */
        text: z.string(),
      }),
    ),
  }),
  reply: z.object({
    results: z.array(
      z.object({
        hash: sha256Hex,
        /** Ascending, non-overlapping byte ranges in the UTF-8 text of the tool definition. */
        edits: z.array(z.object({ start: count, end: count, replacement: z.string() })),
        steps: z.array(stepReport),
      }),
    ),
  }),
});
export type CompressSchemasReply = z.infer<typeof compressSchemas.reply>;

/**
 * Counts the tokens (encoding o200k) of tool definitions, in request order. The edge gateway calls this
 * contract while the provider processes the request.
 */
export const countDefinitions = defineRpc({
  subject: 'compressor.count-definitions.v1',
  server: 'compressor',
  callers: ['edge-gateway'],
  deadlineMs: 5_000,
  request: z.object({
    /** The account of the request. The token counter serves accounts in round-robin order. */
    accountId: id,
    /** Tool definitions exactly as sent to the provider (UTF-8 JSON). */
    definitions: z.array(z.string()).min(1).max(4_097),
  }),
  reply: z.object({ tokens: z.array(count) }),
});

/**
 * Identifies a text block by its conversation and text. A block with the same conversation and text always
 * has the same id.
 */
export const blockId = z.string().regex(/^[0-9a-f]{16}$/);

export const tokenCounts = z.object({ before: count, after: count });
export type TokenCounts = z.infer<typeof tokenCounts>;

/**
 * Reads the exact token counts (encoding o200k) of blocks before and after compression, in request order. The
 * compressor counts the tokens in the background. A count is null if the tokens have not been counted yet or
 * the count has expired.
 */
export const readTokenCounts = defineRpc({
  subject: 'compressor.read-token-counts.v1',
  server: 'compressor',
  callers: ['edge-gateway'],
  deadlineMs: 1_000,
  request: z.object({
    /** The account of the request. If the field is absent (gateways from the previous release), all counts are null. */
    accountId: id.optional(),
    blocks: z.array(blockId).min(1).max(64),
  }),
  reply: z.object({ counts: z.array(tokenCounts.nullable()) }),
});

/** A marker's id. For example, the id of the marker `[… 12 lines left out: 0123456789ab]` is `0123456789ab`. */
export const markerId = z.string().regex(/^[0-9a-f]{12}$/);

/**
 * Reads the original text for each marker, in request order. A marker id is valid only in the account and
 * conversation in which the marker was created, and expires after one day. Null means that the original text
 * is not stored or did not fit into the reply. A single original text always fits into a reply.
 */
export const recallOriginals = defineRpc({
  subject: 'compressor.recall-originals.v1',
  server: 'compressor',
  callers: ['edge-gateway'],
  deadlineMs: 1_000,
  request: z.object({
    accountId: id,
    /** The value of `sessionSeed` in the conversation's calls to `compress-blocks`. */
    session: sha256Hex,
    ids: z.array(markerId).min(1).max(64),
  }),
  reply: z.object({ originals: z.array(z.string().nullable()) }),
});
export type RecallOriginalsRequest = z.infer<typeof recallOriginals.request>;

const compressBlocksRequest = z.object({
  mode: z.enum(['lossless', 'balanced']),
  /**
   * The account that owns the stored originals. Gateways from the previous release omit `accountId` and never
   * set `recoverable`.
   */
  accountId: id.optional(),
  /** Whether the gateway can restore omitted text. If false, no compression step omits text. */
  recoverable: z.boolean(),
  /**
   * The output version of the compression steps. Gateways from the previous release omit `version` and
   * receive the output of the compressor's newest version.
   */
  version: z.int().min(1).optional(),
  /** Identifies the account and the conversation, for marker ids and for `recall-originals`. */
  sessionSeed: sha256Hex,
  /**
   * Hash of all conversation content before the blocks of this request. If the compressor has stored the
   * conversation's state under this hash, the compressor continues from that state. If no state is stored, the
   * compressor replies `unknown`. Null means that the request contains the blocks of the whole conversation.
   */
  after: sha256Hex.nullable(),
  /**
   * Hash of all conversation content up to and including the blocks of this request. The compressor uses the
   * hash as the key for the conversation's new state.
   */
  upTo: sha256Hex,
  /** The blocks in conversation order. */
  blocks: z.array(
    z.object({
      speaker: z.enum(['system', 'user', 'assistant', 'tool']),
      text: z.string(),
      /** Whether the block must stay unchanged. Later blocks may still refer to an unchanged block. */
      frozen: z.boolean(),
      /**
       * Whether the block is an old tool result. If `recoverable` is true, a summary may replace an old tool
       * result.
       */
      old: z.boolean().optional(),
    }),
  ),
  /**
   * Marker id of the original text to return. If the original text is no longer stored, the compressor
   * rebuilds the text from the conversation.
   */
  recall: markerId.optional(),
});

const compressBlocksReply = z.discriminatedUnion('status', [
  z.object({
    status: z.literal('compressed'),
    /** One result per block, in request order. */
    results: z.array(
      z.object({
        /** The text that replaces the block. Null if the block is unchanged. */
        text: z.string().nullable(),
        steps: z.array(stepReport),
        /**
         * The block's id for calls of `read-token-counts`. Unchanged blocks have no id. Compressors of the
         * previous release omit the id.
         */
        id: blockId.optional(),
        /** Ids of the markers in `text`, in order. Compressors from the previous release omit `markers`. */
        markers: z.array(markerId).default([]),
      }),
    ),
    /** The original text for the marker id in `recall`. Present only if the request's blocks contain the marker. */
    original: z.string().optional(),
  }),
  /**
   * The compressor has no stored state for the hash in `after`. The caller must send the whole
   * conversation to the compressor instance that replied.
   */
  z.object({ status: z.literal('unknown'), instanceId: z.string() }),
  /** The compressor cannot produce the requested output version of the compression steps. */
  z.object({ status: z.literal('unsupported') }),
]);

/**
 * Compresses new blocks in a conversation. Every replica produces the same result for the same blocks after
 * the same history. The history may be stored on the replica or sent with the call.
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

/** Resends a compression request to the compressor instance that replied `unknown`. */
export const compressBlocksAt = defineRpc({
  ...compressBlocks,
  subject: 'compressor.compress-blocks-at.v1',
  perInstance: true,
});
