import { z } from 'zod';

const encoderManifestSchema = z.object({
  /** How texts become token ids. */
  kind: z.literal('hashed-character-grams'),
  buckets: z
    .int()
    .positive()
    .max(1 << 24),
  dimensions: z.int().positive().max(4096),
  gramLengths: z.array(z.int().min(1).max(16)).min(1),
  /** Tokens of a text beyond these are not read. */
  tokensMax: z.int().positive().max(8192),
  /** A text and the vector that the model gives for it: proof at start that graph, runtime and tokens fit together. */
  check: z.object({ text: z.string(), vector: z.array(z.number()) }),
});

/** `encoder.json` of a model directory. */
export type EncoderManifest = z.infer<typeof encoderManifestSchema>;

/** @throws ZodError, SyntaxError */
export function parseEncoderManifest(text: string): EncoderManifest {
  return encoderManifestSchema.parse(JSON.parse(text));
}
