import { runAtOnce } from '@gateway/messaging';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describeLogits } from '../../apps/tool-router/src/ranking/describe-ranking.ts';
import { nameSemantic } from '../../apps/tool-router/src/ranking/ranker.port.ts';
import type {
  EncoderChoice,
  RankQuestion,
  TurnRanking,
} from '../../apps/tool-router/src/ranking/ranker.port.ts';
import { SentenceTransformer } from '../../apps/tool-router/src/encoder/sentence-transformer.adapter.ts';
import { renderToolSentence, renderToolText } from '../../apps/tool-router/src/encoder/tool-encoder-text.ts';
import { Vocabulary } from '../../apps/tool-router/src/encoder/vocabulary.ts';
import { scoreByKeyword } from '../../apps/tool-router/src/tool-index/keyword-scores.ts';
import { indexToolList, type KeywordIndex } from '../../apps/tool-router/src/tool-index/keyword-index.ts';
import { allFeatureNames, featureNames } from '../../apps/tool-router/src/second-stage/feature-names.ts';
import { computeFeatures, type EncoderVectors } from '../../apps/tool-router/src/second-stage/features.ts';
import { makeStageList } from '../../apps/tool-router/src/second-stage/stage-list.ts';
import { readStageTurn, type StageTurn } from '../../apps/tool-router/src/second-stage/stage-turn.ts';
import { Synonyms } from '../../apps/tool-router/src/second-stage/soft-match.ts';
import type { EncoderText } from '../../apps/tool-router/src/inference/inference-protocol.ts';
import { packVector } from '../../apps/tool-router/src/vectors/shared-vectors.port.ts';
import {
  encoderDirectory,
  foldsDirectory,
  readFoldEncoder,
  rerankerDirectory,
  secondEncoderDirectory,
} from '../../training/encoder-files.ts';
import { vocabularyOptions } from '../../training/encoder-shape.ts';
import { foldOf } from '../../training/folds.ts';
import { openEncoder, openReranker, type Encode, type Score } from '../../training/run-models.ts';
import { itemAt, type ToolData } from './tool-data.ts';

/** One question's tools, in the form that the reranker reads. */
export interface Seen {
  readonly index: KeywordIndex;
  readonly turn: StageTurn;
  /** Keyword scores, indexed by tool position. */
  readonly keyword: Float64Array;
  /** The features of each tool, in the order of `allFeatureNames`. */
  readonly features: Float32Array;
}

/**
 * Computes the features of each question's tools with the tool router's code. For a training set, the first
 * encoder was trained without the set's family. The second encoder was not trained on any of the sets.
 */
export class SemanticPath {
  readonly #data: ToolData;
  readonly #synonyms: Synonyms;
  readonly #vocabulary: Vocabulary;
  readonly #encoders = new Map<number | undefined, Promise<Encode>>();
  readonly #rerankers = new Map<string, Promise<Score>>();
  readonly #toolVectors = new Map<string, Promise<Float32Array>>();
  readonly #turnVectors = new Map<string, Promise<Float32Array>>();
  #second: Promise<SentenceTransformer> | undefined;
  #last: { key: string; lines: readonly number[]; seen: Promise<Seen> } | undefined;

  constructor(data: ToolData) {
    this.#data = data;
    this.#synonyms = Synonyms.parse(readFileSync(join(rerankerDirectory, 'synonyms.bin')));
    this.#vocabulary = Vocabulary.parse(
      readFileSync(join(encoderDirectory, 'vocabulary.txt'), 'utf8'),
      vocabularyOptions,
    );
  }

  /**
   * Returns the candidate tools in the form that the reranker reads.
   * @param lines the candidates, as line numbers in the tools file
   */
  async see(dataset: string, { turns, at }: RankQuestion, lines: readonly number[]): Promise<Seen> {
    const encode = await this.#encoderOf(foldOf(dataset));
    const cards = lines.map((line) => itemAt(this.#data.cards, line));
    const index = indexToolList('', cards);
    const turn = readStageTurn(turns, at);
    const tools = await Promise.all(lines.map((line) => this.#vectorOf(line, foldOf(dataset), encode)));
    const first = joinVectors(tools, await encode(turn.texts));
    const second = await this.#readSecond(turn, lines);
    const keyword = runAtOnce(scoreByKeyword(index, turn.query));
    const list = makeStageList(index, cards);
    const features = computeFeatures(list, turn, { ...first, second }, this.#synonyms, keyword);
    return { index, turn, keyword, features };
  }

  /**
   * Returns the router's semantic ranking of candidate tools, with models that were trained without the tool
   * set's family.
   */
  async rank(
    dataset: string,
    question: RankQuestion,
    lines: readonly number[],
    encoders: EncoderChoice,
  ): Promise<TurnRanking> {
    const { index, turn, keyword, features } = await this.#seeOnce(dataset, question, lines);
    const score = await this.#rerankerOf(foldOf(dataset), encoders);
    const width = (encoders === 'both' ? allFeatureNames : featureNames).length;
    const logits = Float64Array.from(await score(takeColumns(features, width), width));
    const rankedBy = nameSemantic(encoders === 'both' ? ['held-out', 'minilm'] : ['held-out'], '');
    const scored = { logits, keyword, rankedBy };
    return runAtOnce(describeLogits(index, turn.query, scored));
  }

  /** The evaluation ranks each question several times in a row, so the latest features are cached. */
  #seeOnce(dataset: string, question: RankQuestion, lines: readonly number[]): Promise<Seen> {
    const key = JSON.stringify([dataset, question.turns.slice(0, question.at + 1)]);
    if (this.#last?.key !== key || this.#last.lines !== lines)
      this.#last = { key, lines, seen: this.see(dataset, question, lines) };
    return this.#last.seen;
  }

  #rerankerOf(fold: number | undefined, encoders: EncoderChoice): Promise<Score> {
    const key = `${encoders} ${fold}`;
    let reranker = this.#rerankers.get(key);
    if (reranker === undefined) {
      const [shipped, name] =
        encoders === 'both'
          ? [join(secondEncoderDirectory, 'second-stage'), 'second-stage']
          : [rerankerDirectory, 'reranker'];
      const file =
        fold === undefined ? join(shipped, 'model.onnx') : join(foldsDirectory, `${name}-${fold}.onnx`);
      reranker = openReranker(readFileSync(file));
      this.#rerankers.set(key, reranker);
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
      const text = renderToolText(itemAt(this.#data.definitions, line));
      vector = encode([text]).then(([only]) => asStored(only ?? new Float32Array(0)));
      this.#toolVectors.set(key, vector);
    }
    return vector;
  }

  async #readSecond(turn: StageTurn, lines: readonly number[]): Promise<EncoderVectors> {
    const tools = lines.map((line) => {
      const known = this.#toolVectors.get(`second ${line}`);
      if (known !== undefined) return known;
      const text = renderToolSentence(itemAt(this.#data.definitions, line));
      const vector = this.#encodeSecond(text).then(asStored);
      this.#toolVectors.set(`second ${line}`, vector);
      return vector;
    });
    const texts = turn.texts.map((text) => {
      const key = JSON.stringify(text);
      const vector = this.#turnVectors.get(key) ?? this.#encodeSecond(text);
      this.#turnVectors.set(key, vector);
      return vector;
    });
    return joinVectors(await Promise.all(tools), await Promise.all(texts));
  }

  async #encodeSecond(text: EncoderText): Promise<Float32Array> {
    this.#second ??= SentenceTransformer.open(secondEncoderDirectory, 1);
    return (await this.#second).encode([text]);
  }
}

/** Returns the first `width` features of each tool. */
function takeColumns(features: Float32Array, width: number): Float32Array {
  const all = allFeatureNames.length;
  const rows = features.length / all;
  const taken = new Float32Array(rows * width);
  for (let row = 0; row < rows; row += 1)
    taken.set(features.subarray(row * all, row * all + width), row * width);
  return taken;
}

function joinVectors(rows: readonly Float32Array[], texts: readonly Float32Array[]): EncoderVectors {
  const dimensions = texts[0]?.length ?? 0;
  const tools = new Float32Array(rows.length * dimensions);
  rows.forEach((row, place) => {
    tools.set(row, place * dimensions);
  });
  return { dimensions, tools, texts };
}

/** Returns a vector in the precision of the router's stored vectors. */
function asStored(vector: Float32Array): Float32Array {
  const { steps, scale } = packVector(vector);
  return Float32Array.from(steps, (step) => step * scale);
}
