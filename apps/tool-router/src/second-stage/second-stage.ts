import { LRUCache } from 'lru-cache';
import type { ToolDefinition } from '@gateway/contracts';
import type { Inference } from '../inference/inference.port.ts';
import type { StageVectors } from './features.ts';
import { computeFeatures, featureNames } from './features.ts';
import type { StageList } from './stage-list.ts';
import { makeStageList } from './stage-list.ts';
import type { StageTurn } from './stage-turn.ts';
import type { Synonyms } from './soft-match.ts';
import { orderByScore } from '../tool-index/keyword-scores.ts';
import type { KeywordIndex } from '../tool-index/keyword-index.ts';
import { joinParts, makeToolEncoderText } from '../encoder/tool-encoder-text.ts';

interface SecondStageOptions {
  readonly inference: Inference;
  readonly synonyms: Synonyms;
  readonly texts: ToolTextMemory;
  readonly listsBytesMax: number;
  /** Candidates that a cross-encoder reads: each costs an inference of its own. */
  readonly pairsMax: number;
}

interface StageQuestion {
  readonly index: KeywordIndex;
  readonly turn: StageTurn;
  /** The keyword path's scores for the turn, by position. */
  readonly keyword: Float64Array;
  readonly vectors: StageVectors;
  readonly deadlineAt: number;
}

interface StageScores {
  /** By position: differences are log-odds. */
  readonly logits: Float64Array;
  /** Names the model that gave them. */
  readonly rankedBy: string;
}

/**
 * Without a model of ours: weights of the words' share, of near words' share and of the cosine's deviation from the list's
 * mean. Together they order as well as the models' own first order does (`second-stage/features.ts`).
 */
const fusionWeights = { keyword_share: 3, soft_segment_share: 3, cosine_segment: 0.75 } as const;

/**
 * Puts a list in order for a turn, from the words, the vectors, and the reranker that is there: one of ours scores every
 * tool by its features; a cross-encoder reads the first few of the fused order; without either the fused order stands.
 */
export class SecondStage {
  readonly #options: SecondStageOptions;
  readonly #lists: LRUCache<string, StageList>;

  constructor(options: SecondStageOptions) {
    this.#options = options;
    this.#lists = new LRUCache({ maxSize: options.listsBytesMax, sizeCalculation: ({ bytes }) => bytes });
  }

  /** @throws InferenceRefused */
  async score({ index, turn, keyword, vectors, deadlineAt }: StageQuestion): Promise<StageScores> {
    const { inference, synonyms } = this.#options;
    const features = computeFeatures(this.#listOf(index), turn, vectors, synonyms, keyword);
    const reranker = inference.reranker;
    if (reranker?.reads.kind === 'features' && hasOurFeatures(reranker.reads.features)) {
      const logits = await this.#scoreFeatures(index, features, deadlineAt);
      return { logits, rankedBy: `.${reranker.id}` };
    }
    const fused = fuse(features);
    if (reranker?.reads.kind !== 'pairs') return { logits: fused, rankedBy: '' };
    return { logits: await this.#readPairs(index, turn, fused, deadlineAt), rankedBy: `.${reranker.id}` };
  }

  #listOf(index: KeywordIndex): StageList {
    const kept = this.#lists.get(index.listHash);
    if (kept !== undefined) return kept;
    const list = makeStageList(
      index,
      index.parameterTerms.map((parameterTerms) => ({ parameterTerms })),
    );
    this.#lists.set(index.listHash, list);
    return list;
  }

  /** Rows go in the order of names, not of the client: kernels add the rows of a block in another way than those of the rest. */
  async #scoreFeatures(
    { tieRanks }: KeywordIndex,
    features: Float32Array,
    deadlineAt: number,
  ): Promise<Float64Array> {
    const width = featureNames.length;
    const rows = new Float32Array(features.length);
    tieRanks.forEach((row, position) =>
      rows.set(features.subarray(position * width, (position + 1) * width), row * width),
    );
    const scores = await this.#options.inference.run(
      { kind: 'score_features', features: rows },
      { urgency: 'plan', deadlineAt },
    );
    return Float64Array.from(tieRanks, (row) => scores[row] ?? 0);
  }

  /** The first of the fused order, in the cross-encoder's order, at the same logits: those behind them stay behind. */
  async #readPairs(
    index: KeywordIndex,
    turn: StageTurn,
    fused: Float64Array,
    deadlineAt: number,
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
      { urgency: 'plan', deadlineAt },
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

/** Features made by other code mean something else, whatever their number. */
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

/** A cross-encoder reads no more of a tool. */
const charactersMax = 800;

/** What a cross-encoder reads of each tool, by definition hash, in this process's memory alone. */
export class ToolTextMemory {
  readonly #texts: LRUCache<string, string>;

  constructor(bytesMax: number) {
    this.#texts = new LRUCache({ maxSize: bytesMax, sizeCalculation: (text) => 200 + 2 * text.length });
  }

  keep(definitions: readonly ToolDefinition[]): void {
    for (const definition of definitions) {
      if (this.#texts.get(definition.hash) !== undefined) continue;
      const text = joinParts(makeToolEncoderText(definition)).slice(0, charactersMax);
      // A cut of a long text would hold on to all of it.
      this.#texts.set(definition.hash, Buffer.from(text).toString());
    }
  }

  find(hash: string): string | undefined {
    return this.#texts.get(hash);
  }
}
