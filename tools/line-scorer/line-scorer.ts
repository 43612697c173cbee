import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { InferenceSession, Tensor } from 'onnxruntime-node';
import { z } from 'zod';

/**
 * Scores the relevance of each line to a question with a learned model. The compression steps currently use the
 * rule `isCriticalLine` rather than a model. A model could replace this rule if the model's benefit justifies
 * its running time, which `npm run bench:compressor` measures. A compression step must output the same bytes on
 * every replica. Scores can differ slightly between processors, so a compression step needs a margin larger
 * than these differences.
 */
interface LineScorer {
  /** The scores, one per line. A higher score means that the line is more relevant. */
  score(question: string, lines: readonly string[]): Promise<Float32Array>;
  release(): Promise<void>;
}

const manifestSchema = z.object({
  kind: z.literal('hashed-words'),
  /** Number of rows in the model's word table. */
  buckets: z.int().positive(),
  /** Maximum number of words that the model reads from a line or from the question. */
  wordsMax: z.int().positive().max(512),
});
type Manifest = z.infer<typeof manifestSchema>;

/** Maximum number of lines per inference call, to limit the memory. */
const linesMax = 1_024;
const word = /[\p{L}\p{N}_]+/gu;

/**
 * A line classifier that runs on onnxruntime, from a folder with `scorer.json` and `model.onnx`. The model's
 * inputs are words, given as row numbers with weights of 0 or 1. The inputs `line_ids` and `line_weights`
 * have the shape [lines, words]. The inputs `question_ids` and `question_weights` have the shape [1, words].
 * The output `scores` has the shape [lines].
 */
export class OnnxLineScorer implements LineScorer {
  readonly #manifest: Manifest;
  readonly #session: InferenceSession;

  private constructor(manifest: Manifest, session: InferenceSession) {
    this.#manifest = manifest;
    this.#session = session;
  }

  /** Loads the line scorer from a folder. Throws if a file is missing or invalid. */
  static async open(folder: string): Promise<OnnxLineScorer> {
    const text = await readFile(join(folder, 'scorer.json'), 'utf8');
    const manifest = manifestSchema.parse(JSON.parse(text));
    const session = await InferenceSession.create(join(folder, 'model.onnx'), {
      intraOpNumThreads: 1,
      interOpNumThreads: 1,
      executionMode: 'sequential',
    });
    return new OnnxLineScorer(manifest, session);
  }

  async score(question: string, lines: readonly string[]): Promise<Float32Array> {
    const scores = new Float32Array(lines.length);
    const asked = this.#readWords([question], 'question');
    for (let from = 0; from < lines.length; from += linesMax) {
      const part = lines.slice(from, from + linesMax);
      const { scores: found } = await this.#session.run({ ...asked, ...this.#readWords(part, 'line') });
      const data = found?.data;
      if (!(data instanceof Float32Array) || data.length !== part.length)
        throw new Error('the scorer must return one score per line');
      scores.set(data, from);
    }
    return scores;
  }

  release(): Promise<void> {
    return this.#session.release();
  }

  #readWords(texts: readonly string[], name: 'line' | 'question'): Record<string, Tensor> {
    const { buckets, wordsMax } = this.#manifest;
    const rows = texts.map((text) => readRow(text, buckets, wordsMax));
    const width = Math.max(1, ...rows.map(({ length }) => length));
    const ids = new BigInt64Array(rows.length * width);
    const weights = new Float32Array(rows.length * width);
    for (const [at, row] of rows.entries()) {
      for (const [place, id] of row.entries()) {
        ids[at * width + place] = BigInt(id);
        weights[at * width + place] = 1;
      }
    }
    const shape = [rows.length, width];
    return {
      [`${name}_ids`]: new Tensor('int64', ids, shape),
      [`${name}_weights`]: new Tensor('float32', weights, shape),
    };
  }
}

function readRow(text: string, buckets: number, wordsMax: number): number[] {
  const row: number[] = [];
  for (const [found] of text.matchAll(word)) {
    row.push(hashWord(found.toLowerCase()) % buckets);
    if (row.length >= wordsMax) break;
  }
  return row;
}

/** The 32-bit FNV-1a hash function, over UTF-16 code units. */
function hashWord(text: string): number {
  let hash = 0x811c9dc5;
  for (let at = 0; at < text.length; at += 1) hash = Math.imul(hash ^ text.charCodeAt(at), 0x01000193);
  return hash >>> 0;
}
