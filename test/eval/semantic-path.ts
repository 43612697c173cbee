import { runAtOnce } from '@gateway/messaging';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describeLogits } from '../../apps/tool-router/src/ranking/describe-ranking.ts';
import type { RankQuestion, TurnRanking } from '../../apps/tool-router/src/ranking/ranker.port.ts';
import { makeToolEncoderText } from '../../apps/tool-router/src/encoder/tool-encoder-text.ts';
import { Vocabulary } from '../../apps/tool-router/src/encoder/vocabulary.ts';
import { scoreByKeyword } from '../../apps/tool-router/src/tool-index/keyword-scores.ts';
import { indexToolList, type KeywordIndex } from '../../apps/tool-router/src/tool-index/keyword-index.ts';
import { computeFeatures, featureNames } from '../../apps/tool-router/src/second-stage/features.ts';
import { makeStageList } from '../../apps/tool-router/src/second-stage/stage-list.ts';
import { readStageTurn, type StageTurn } from '../../apps/tool-router/src/second-stage/stage-turn.ts';
import { Synonyms } from '../../apps/tool-router/src/second-stage/soft-match.ts';
import {
  encoderDirectory,
  foldsDirectory,
  readFoldEncoder,
  rerankerDirectory,
} from '../../training/encoder-files.ts';
import { vocabularyOptions } from '../../training/encoder-shape.ts';
import { foldOf } from '../../training/folds.ts';
import { openEncoder, openReranker, type Encode, type Score } from '../../training/run-models.ts';
import { itemAt, type ToolData } from './tool-data.ts';

/** The tools of one question in the form that the reranker receives. */
export interface Seen {
  readonly index: KeywordIndex;
  readonly turn: StageTurn;
  /** Keyword scores. The index is the position of the tool. */
  readonly keyword: Float64Array;
  readonly features: Float32Array;
}

/**
 * Computes features of the tools for each question as in the tool router. For a training set, the function
 * uses an encoder that was trained without the set's family.
 */
export class SemanticPath {
  readonly #data: ToolData;
  readonly #synonyms: Synonyms;
  readonly #vocabulary: Vocabulary;
  readonly #encoders = new Map<number | undefined, Promise<Encode>>();
  readonly #rerankers = new Map<number | undefined, Promise<Score>>();
  readonly #toolVectors = new Map<string, Promise<Float32Array>>();

  constructor(data: ToolData) {
    this.#data = data;
    this.#synonyms = Synonyms.parse(readFileSync(join(rerankerDirectory, 'synonyms.bin')));
    this.#vocabulary = Vocabulary.parse(
      readFileSync(join(encoderDirectory, 'vocabulary.txt'), 'utf8'),
      vocabularyOptions,
    );
  }

  /**
   * Returns the candidate tools in the form that the reranker receives.
   * @param lines the candidates, as line numbers in the tools file
   */
  async see(dataset: string, { turns, at }: RankQuestion, lines: readonly number[]): Promise<Seen> {
    const encode = await this.#encoderOf(foldOf(dataset));
    const cards = lines.map((line) => itemAt(this.#data.cards, line));
    const index = indexToolList('', cards);
    const turn = readStageTurn(turns, at);
    const texts = await encode(turn.texts);
    const dimensions = texts[0]?.length ?? 0;
    const tools = new Float32Array(lines.length * dimensions);
    const vectors = await Promise.all(lines.map((line) => this.#vectorOf(line, foldOf(dataset), encode)));
    vectors.forEach((vector, place) => {
      tools.set(vector, place * dimensions);
    });
    const keyword = runAtOnce(scoreByKeyword(index, turn.query));
    const list = makeStageList(index, cards);
    const features = computeFeatures(list, turn, { dimensions, tools, texts }, this.#synonyms, keyword);
    return { index, turn, keyword, features };
  }

  /**
   * Returns the router's semantic ranking of candidate tools. The models were trained without the set's
   * family.
   */
  async rank(dataset: string, question: RankQuestion, lines: readonly number[]): Promise<TurnRanking> {
    const { index, turn, keyword, features } = await this.see(dataset, question, lines);
    const score = await this.#rerankerOf(foldOf(dataset));
    const logits = Float64Array.from(await score(features, featureNames.length));
    const scored = { logits, keyword, rankedBy: 'semantic.held-out' };
    return runAtOnce(describeLogits(index, turn.query, scored));
  }

  #rerankerOf(fold: number | undefined): Promise<Score> {
    let reranker = this.#rerankers.get(fold);
    if (reranker === undefined) {
      const file =
        fold === undefined
          ? join(rerankerDirectory, 'model.onnx')
          : join(foldsDirectory, `reranker-${fold}.onnx`);
      reranker = openReranker(readFileSync(file));
      this.#rerankers.set(fold, reranker);
    }
    return reranker;
  }

  #encoderOf(fold: number | undefined): Promise<Encode> {
    let encoder = this.#encoders.get(fold);
    if (encoder === undefined) {
      const model =
        fold === undefined ? readFileSync(join(encoderDirectory, 'model.onnx')) : readFoldEncoder(fold);
      encoder = openEncoder(model, this.#vocabulary);
      this.#encoders.set(fold, encoder);
    }
    return encoder;
  }

  #vectorOf(line: number, fold: number | undefined, encode: Encode): Promise<Float32Array> {
    const key = `${fold} ${line}`;
    let vector = this.#toolVectors.get(key);
    if (vector === undefined) {
      const text = makeToolEncoderText(itemAt(this.#data.definitions, line));
      vector = encode([text]).then(([only]) => only ?? new Float32Array(0));
      this.#toolVectors.set(key, vector);
    }
    return vector;
  }
}
