import { z } from 'zod';
import { base64 } from '../base/common.ts';
import { defineRpc } from '../base/define.ts';

/** Maximum number of tools that the worker assesses together. */
const toolsMax = 1_000;
/**
 * Maximum number of distinct words in the tool names. The words and the tools together stay well below the
 * message size limit.
 */
const wordsMax = 2_000;

/**
 * Computes tool embeddings with the router's encoder, for comparing tools. The router does not store the
 * embeddings.
 */
export const embedTools = defineRpc({
  subject: 'tool-router.embed-tools.v1',
  server: 'tool-router',
  callers: ['worker'],
  deadlineMs: 5_000,
  request: z.object({
    tools: z
      .array(
        z.object({
          name: z.string().max(256),
          description: z.string(),
          /** The JSON Schema of the tool's arguments, or null. */
          parameters: z.unknown(),
        }),
      )
      .max(toolsMax),
    words: z.array(z.string().max(64)).max(wordsMax),
  }),
  reply: z.object({
    /**
     * Little-endian 32-bit float vectors of unit length, in request order. The vectors are null if the router
     * runs no encoder.
     */
    vectors: z.object({ dimensions: z.int().positive(), tools: base64, words: base64 }).nullable(),
  }),
});
