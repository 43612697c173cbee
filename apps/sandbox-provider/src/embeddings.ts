import { createHash } from 'node:crypto';
import { z } from 'zod';
import { parseBody } from './chat/chat-request.ts';

/** Maximum number of texts per request, as in OpenAI's API. */
const textsMax = 2048;
const dimensionsMax = 3072;
const defaultDimensions = 256;
const bytesPerToken = 4;
/** Maximum number of tokens of one text, and of all texts of a request, as in OpenAI's API. */
const tokensMax = 8192;
const tokensMaxOfRequest = 300_000;

const text = z
  .string()
  .min(1)
  .max(tokensMax * bytesPerToken);
const tokens = z.array(z.int().min(0)).min(1).max(tokensMax);
const input = z
  .union([text, tokens, z.array(text).min(1).max(textsMax), z.array(tokens).min(1).max(textsMax)])
  .refine((given) => countAll(listEntries(given)) <= tokensMaxOfRequest, 'The request has too many tokens.');

const embeddingRequest = z.looseObject({
  model: z.string(),
  input,
  dimensions: z.int().min(1).max(dimensionsMax).default(defaultDimensions),
  encoding_format: z.enum(['float', 'base64']).default('float'),
});

type EmbeddingRequest = z.output<typeof embeddingRequest>;

/** Parses an embedding request. Throws `ProviderError` with status 400 and the name of the invalid field. */
export function parseEmbeddingRequest(body: unknown): EmbeddingRequest {
  return parseBody(embeddingRequest, body);
}

/**
 * Renders one vector of length 1 for each text. The vectors depend only on the request. The hash of each word
 * or token selects the dimension that the term changes. Texts that share words therefore have similar vectors.
 * The usage for a text is estimated as one token per four bytes, rounded up. If the input consists of tokens,
 * the usage is exact.
 */
export function renderEmbeddings(request: EmbeddingRequest): object {
  const { model, dimensions, encoding_format } = request;
  const entries = listEntries(request.input);
  const data = entries.map((entry, index) => {
    const vector = embed(entry, dimensions);
    const embedding =
      encoding_format === 'float' ? [...vector] : Buffer.from(vector.buffer).toString('base64');
    return { object: 'embedding', index, embedding };
  });
  const prompt_tokens = countAll(entries);
  return { object: 'list', data, model, usage: { prompt_tokens, total_tokens: prompt_tokens } };
}

type Entry = string | readonly number[];

function listEntries(given: string | readonly number[] | readonly Entry[]): readonly Entry[] {
  if (typeof given === 'string') return [given];
  return typeof given[0] === 'number' ? [given as readonly number[]] : (given as readonly Entry[]);
}

function countAll(entries: readonly Entry[]): number {
  return entries.reduce<number>((sum, entry) => sum + countTokens(entry), 0);
}

function countTokens(entry: Entry): number {
  return typeof entry === 'string' ? Math.ceil(Buffer.byteLength(entry) / bytesPerToken) : entry.length;
}

function embed(entry: Entry, dimensions: number): Float32Array {
  const vector = new Float32Array(dimensions);
  for (const term of listTerms(entry)) {
    const digest = createHash('sha256').update(term).digest();
    const at = digest.readUInt32LE(0) % dimensions;
    vector[at] = (vector[at] ?? 0) + (digest.readUInt8(4) % 2 === 0 ? 1 : -1);
  }
  const length = Math.hypot(...vector);
  // If all terms cancel each other out, the vector has length 0 and no direction.
  if (length === 0) vector[0] = 1;
  return vector.map((value) => value / (length || 1));
}

function listTerms(entry: Entry): readonly string[] {
  if (typeof entry !== 'string') return entry.map(String);
  return entry.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? [entry];
}
