import { z } from 'zod';
import { count, sha256Hex } from '../common.ts';
import { defineRpc } from '../define.ts';

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
