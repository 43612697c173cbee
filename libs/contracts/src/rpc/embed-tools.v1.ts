import { z } from 'zod';
import { base64 } from '../base/common.ts';
import { defineRpc } from '../base/define.ts';

/** As many tools as are assessed together. */
const toolsMax = 1_000;
/** Their names' words, each once: with the tools, well below what a message may take. */
const wordsMax = 2_000;

/** What tools mean, as the router's encoder has it, for whoever compares them. Nothing of it is kept. */
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
    /** Rows of 32-bit floats, little-endian, of length one, in the order of the request; null while no encoder runs. */
    vectors: z.object({ dimensions: z.int().positive(), tools: base64, words: base64 }).nullable(),
  }),
});
