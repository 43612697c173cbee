import type { InferenceSession } from 'onnxruntime-node';
import { modelFiles, nameModel, openGraph, readFirstFile } from '../inference/model-files.ts';
import { TextTokens } from '../inference/text-tokens.ts';
import type { Reranker } from '../inference/inference.port.ts';

/**
 * Maximum number of tokens in a query and a tool together. Scoring must meet a deadline and takes longer for more
 * tokens.
 */
const tokensMax = 192;

/**
 * A reranker that loads any cross-encoder directory, with `model.onnx` and `tokenizer.json`. The reranker
 * scores one pair of query and text at a time, so that a score does not depend on other pairs.
 */
export class CrossEncoder implements Reranker {
  readonly id: string;
  readonly reads = { kind: 'pairs' } as const;
  readonly #session: InferenceSession;
  readonly #tokens: TextTokens;

  private constructor(id: string, session: InferenceSession, tokens: TextTokens) {
    this.id = id;
    this.#session = session;
    this.#tokens = tokens;
  }

  /** @throws if model files are missing or corrupt, or if the graph does not output a score. */
  static async open(directory: string, threads: number): Promise<CrossEncoder> {
    const { bytes: model } = await readFirstFile(directory, modelFiles);
    const { bytes: tokenizer } = await readFirstFile(directory, ['tokenizer.json']);
    const tokens = await TextTokens.open(directory, tokensMax);
    const session = await openGraph(model, threads);
    const reranker = new CrossEncoder(nameModel(model, tokenizer), session, tokens);
    await reranker.scorePairs('create an issue', ['create issue']);
    return reranker;
  }

  async scorePairs(query: string, texts: readonly string[]): Promise<Float32Array> {
    const scores = new Float32Array(texts.length);
    for (const [at, text] of texts.entries()) {
      const outputs = await this.#session.run(this.#tokens.feeds(this.#session, query, text));
      scores[at] = scoreOf(outputs['logits'] ?? Object.values(outputs)[0]);
    }
    return scores;
  }

  scoreFeatures(): Promise<Float32Array> {
    return Promise.reject(new Error('this reranker does not accept features'));
  }

  release(): Promise<void> {
    return this.#session.release();
  }
}

/** If the model has two outputs, the relevance logit is the second output minus the first. */
function scoreOf(logits: { readonly data: unknown } | undefined): number {
  const data = logits?.data;
  const [first, second] = data instanceof Float32Array && data.length <= 2 ? data : [];
  const score = second === undefined ? first : second - (first ?? 0);
  if (score === undefined || !Number.isFinite(score)) throw new Error('the cross-encoder returned no score');
  return score;
}
