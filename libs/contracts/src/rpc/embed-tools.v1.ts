import { z } from 'zod';
import { base64 } from '../base/common.ts';
import { defineRpc } from '../base/define.ts';

/** The maximum that is assessed together. */
const toolsMax = 1_000;
/**
 * The words of the tools' names, each once. Together with the tools they stay well below the size limit of a
 * message.
 */
const wordsMax = 2_000;

/** Computes embeddings of tools with the router's encoder, for comparisons. Nothing is stored. */
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
          /** The JSON Schema of the arguments, or null. */
          parameters: z.unknown(),
        }),
      )
      .max(toolsMax),
    words: z.array(z.string().max(64)).max(wordsMax),
  }),
  reply: z.object({
    /**
     * Rows of 32-bit floats (little-endian) with unit length, in the order of the request; null while no
     * encoder runs.
     */
    vectors: z.object({ dimensions: z.int().positive(), tools: base64, words: base64 }).nullable(),
  }),
});
