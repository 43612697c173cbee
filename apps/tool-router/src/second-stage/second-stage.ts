import type { LoopShare, Pieces } from '@gateway/messaging';
import { LRUCache } from 'lru-cache';
import type { ToolDefinition } from '@gateway/contracts';
import { InferenceRefused, type Inference, type InferenceOptions } from '../inference/inference.port.ts';
import type { FeatureReranker } from '../reranker/feature-reranker.adapter.ts';
import type { StageVectors } from './features.ts';
import { allFeatureNames, featureNames } from './feature-names.ts';
import { computeInPieces } from './features.ts';
import type { StageList } from './stage-list.ts';
import { makeStageListInPieces } from './stage-list.ts';
import type { StageTurn } from './stage-turn.ts';
import type { Synonyms } from './soft-match.ts';
import { orderByScore } from '../tool-index/keyword-scores.ts';
import type { KeywordIndex } from '../tool-index/keyword-index.ts';
import { joinParts, makeToolEncoderText } from '../encoder/tool-encoder-text.ts';

interface SecondStageOptions {
  readonly inference: Inference;
  readonly share: LoopShare;
  readonly synonyms: Synonyms;
  readonly texts: ToolTextMemory;
  readonly listsBytesMax: number;
  /**
   * Number of candidate tools that a cross-encoder scores. A cross-encoder needs one inference for each
   * candidate tool.
   */
  readonly pairsMax: number;
  /** The feature reranker that reads the vectors of both encoders. Undefined without a second encoder. */
  readonly bothReranker?: Pick<FeatureReranker, 'id' | 'scoreFeatures'> | undefined;
}

/** The deadline for the inference of a ranking, and the account that requested the ranking. */
export type InferenceTiming = Required<Pick<InferenceOptions, 'deadlineAt'>> &
  Pick<InferenceOptions, 'accountId'>;

interface StageQuestion {
  readonly index: KeywordIndex;
  readonly turn: StageTurn;
  /** The turn's keyword scores, by tool position. */
  readonly keyword: Float64Array;
  readonly vectors: StageVectors;
  readonly timing: InferenceTiming;
}

interface StageScores {
  /** Scores by tool position. Differences between the scores of two tools are log-odds. */
  readonly logits: Float64Array;
  /** Id of the model that computed the scores. */
  readonly rankedBy: string;
}

/**
 * The weights that combine three scores into one order (the fused order). The fused order is used if there is no
 * feature reranker. The scores are the keyword share, the soft match share, and the cosine's deviation from the list's
 * mean. With the trained models, the fused order is as good as the preliminary order (`second-stage/features.ts`).
 */
const fusionWeights = { keyword_share: 3, soft_segment_share: 3, cosine_segment: 0.75 } as const;

/**
 * Scores a tool list for a turn from words, vectors and the available reranker. A feature reranker scores
 * every tool. A cross-encoder changes only the order of the top tools in the fused order. Without a reranker,
 * the fused order of the tools is final.
 */
export class SecondStage {
  readonly #options: SecondStageOptions;
  readonly #lists: LRUCache<string, StageList>;

  constructor(options: SecondStageOptions) {
    this.#options = options;
    this.#lists = new LRUCache({ maxSize: options.listsBytesMax, sizeCalculation: ({ bytes }) => bytes });
  }

  /** @throws InferenceRefused if the reranker's inference fails or the deadline has passed. */
  async score({ index, turn, keyword, vectors, timing }: StageQuestion): Promise<StageScores> {
    const { inference, share, synonyms, bothReranker } = this.#options;
    const { accountId = '', deadlineAt } = timing;
    const read = bothReranker === undefined ? { ...vectors, second: undefined } : vectors;
    const list = await share.run(accountId, this.#listOf(index));
    const features = await share.run(
      accountId,
      endInTime(computeInPieces(list, turn, read, synonyms, keyword), deadlineAt),
    );
    if (read.second !== undefined && bothReranker !== undefined) {
      const score = (rows: Float32Array) => bothReranker.scoreFeatures(rows);
      const logits = await scoreInNameOrder(index, features, allFeatureNames.length, score);
      return { logits, rankedBy: `.${bothReranker.id}` };
    }
    const reranker = inference.reranker;
    if (reranker?.reads.kind === 'features' && hasOurFeatures(reranker.reads.features)) {
      const score = (rows: Float32Array) =>
        inference.run({ kind: 'score_features', features: rows }, { urgency: 'plan', ...timing });
      const logits = await scoreInNameOrder(index, features, featureNames.length, score);
      return { logits, rankedBy: `.${reranker.id}` };
    }
    const fused = fuse(features);
    if (reranker?.reads.kind !== 'pairs') return { logits: fused, rankedBy: '' };
    return { logits: await this.#readPairs(index, turn, fused, timing), rankedBy: `.${reranker.id}` };
  }

  /** Returns the second-stage data of a tool list. Later plans use the data, so there is no deadline. */
  *#listOf(index: KeywordIndex): Pieces<StageList> {
    const kept = this.#lists.get(index.listHash);
    if (kept !== undefined) return kept;
    const list = yield* makeStageListInPieces(
      index,
      index.parameterTerms.map((parameterTerms) => ({ parameterTerms })),
    );
    this.#lists.set(index.listHash, list);
    return list;
  }

  /**
   * Sorts the top tools of the fused order by cross-encoder score. The top tools only exchange their
   * logits, so all other tools keep their places.
   */
  async #readPairs(
    index: KeywordIndex,
    turn: StageTurn,
    fused: Float64Array,
    timing: InferenceTiming,
  ): Promise<Float64Array> {
    const { inference, texts, pairsMax } = this.#options;
    const first: { position: number; text: string }[] = [];
    for (const position of orderByScore(index, fused).subarray(0, pairsMax)) {
      const text = texts.find(index.hashes[position] ?? '');
      if (text !== undefined) first.push({ position, text });
    }
    const query = (turn.texts[1] ?? turn.texts[0] ?? []).map((part) => part.text).join('\n');
    const scores = await inference.run(
      { kind: 'score_pairs', query, texts: first.map(({ text }) => text) },
      { urgency: 'plan', ...timing },
    );
    const slots = first.map(({ position }) => fused[position] ?? 0);
    const reordered = first
      .map(({ position }, at) => ({ position, score: scores[at] ?? 0, at }))
      .sort((one, other) => other.score - one.score || one.at - other.at);
    const logits = fused.slice();
    reordered.forEach(({ position }, place) => (logits[position] = slots[place] ?? 0));
    return logits;
  }
}

/**
 * Scores feature rows. Rows are sorted by name, so that the client's order cannot change the scores. A row's
 * position can change its score, because matrix kernels sum the last rows differently from full blocks.
 */
async function scoreInNameOrder(
  { tieRanks }: KeywordIndex,
  features: Float32Array,
  width: number,
  score: (rows: Float32Array) => Promise<Float32Array>,
): Promise<Float64Array> {
  const rows = new Float32Array(features.length);
  tieRanks.forEach((row, position) =>
    rows.set(features.subarray(position * width, (position + 1) * width), row * width),
  );
  const scores = await score(rows);
  return Float64Array.from(tieRanks, (row) => scores[row] ?? 0);
}

/** Stops the computation after the deadline, when the ranker uses keyword ranking instead. */
function* endInTime<Result>(pieces: Pieces<Result>, deadlineAt: number): Pieces<Result> {
  let step = pieces.next();
  while (step.done !== true) {
    if (performance.now() > deadlineAt) throw new InferenceRefused('late');
    yield;
    step = pieces.next();
  }
  return step.value;
}

/** Compares the names of features, because the same number of features does not imply the same meanings. */
export function hasOurFeatures(features: readonly string[]): boolean {
  return features.join() === featureNames.join();
}

function fuse(features: Float32Array): Float64Array {
  const width = featureNames.length;
  const columns = Object.entries(fusionWeights).map(
    ([name, weight]) => [(featureNames as readonly string[]).indexOf(name), weight] as const,
  );
  return Float64Array.from({ length: features.length / width }, (_, row) =>
    columns.reduce(
      (sum, [column, weight]) => sum + weight * Math.max(0, features[row * width + column] ?? 0),
      0,
    ),
  );
}

/** Maximum length of a tool's text for a cross-encoder, in characters. */
const charactersMax = 800;

/** Caches the tools' input texts for the cross-encoder by tool definition hash, in this process only. */
export class ToolTextMemory {
  readonly #texts: LRUCache<string, string>;

  constructor(bytesMax: number) {
    this.#texts = new LRUCache({ maxSize: bytesMax, sizeCalculation: (text) => 200 + 2 * text.length });
  }

  keep(definitions: readonly ToolDefinition[]): void {
    for (const definition of definitions) {
      if (this.#texts.get(definition.hash) !== undefined) continue;
      const text = joinParts(makeToolEncoderText(definition)).slice(0, charactersMax);
      // The code copies the text, because a substring would keep the whole text in memory.
      this.#texts.set(definition.hash, Buffer.from(text).toString());
    }
  }

  find(hash: string): string | undefined {
    return this.#texts.get(hash);
  }
}
