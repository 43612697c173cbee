import type { LoopShare } from '@gateway/messaging';
import { withTimeout, type Logger } from '@gateway/observability';
import { InferenceRefused, type Inference } from '../inference/inference.port.ts';
import type { SecondVectors } from '../vectors/second-vectors.ts';
import type { ToolVectors } from '../vectors/tool-vectors.ts';
import type { VectorMatrix } from '../vectors/vector-store.ts';
import { describeLogits } from './describe-ranking.ts';
import { rankByKeyword } from './keyword-ranker.ts';
import { encodersOf, nameSemantic, shortListMax } from './ranker.port.ts';
import type {
  EncoderChoice,
  MethodReason,
  RankOptions,
  RankQuestion,
  ToolRanker,
  TurnRanking,
} from './ranker.port.ts';
import type { EncoderPlace } from '../inference/inference-protocol.ts';
import type { RankingMetrics } from '../metrics/router-metrics.ts';
import type { EncoderVectors } from '../second-stage/features.ts';
import { readStageTurn, type StageTurn } from '../second-stage/stage-turn.ts';
import type { InferenceTiming, SecondStage } from '../second-stage/second-stage.ts';
import type { KeywordIndex } from '../tool-index/keyword-index.ts';
import { makeTurnQuery } from '../tool-index/keyword-scores.ts';

export interface SemanticRankerOptions {
  readonly inference: Inference;
  readonly share: LoopShare;
  readonly vectors: ToolVectors;
  /** The vectors of the second encoder. Undefined if only the first encoder is in use. */
  readonly secondVectors: SecondVectors | undefined;
  readonly secondStage: SecondStage;
  readonly metrics: RankingMetrics;
  readonly logger: Logger;
  /** Time limit in milliseconds for a query without a deadline. */
  readonly budgetMs: number;
}

/**
 * Maximum share of the remaining time that a ranking waits for the second encoder. The rest is for the second
 * stage.
 */
const secondShare = 0.75;

/**
 * Ranks by vectors and keywords. The ranker encodes the turn, loads the vectors of the tool list, and then runs
 * the second stage. The ranker computes the inexpensive keyword ranking first. If a step of vector ranking
 * fails, is late or lacks data, the ranker returns the keyword ranking.
 */
export class SemanticRanker implements ToolRanker {
  readonly #options: SemanticRankerOptions;

  constructor(options: SemanticRankerOptions) {
    this.#options = options;
  }

  async rank(index: KeywordIndex, question: RankQuestion, options: RankOptions = {}): Promise<TurnRanking> {
    const startedAt = performance.now();
    const {
      deadlineAt = startedAt + this.#options.budgetMs,
      method,
      accountId,
      encoders = 'first',
    } = options;
    const timing: InferenceTiming = { deadlineAt, ...(accountId === undefined ? {} : { accountId }) };
    const byWords: MethodReason | null =
      method === 'keyword' ? 'asked' : index.names.length <= shortListMax ? 'short_list' : null;
    const ranking =
      byWords === null
        ? await this.#rankSemantically(index, question, encoders, timing)
        : { ...(await this.#rankByWords(index, question, accountId)), methodReason: byWords };
    const { method: lane, methodReason: reason, rankedBy } = ranking;
    const ranked = { lane, reason, encoders: encodersOf(rankedBy) };
    this.#options.metrics.observe(ranked, performance.now() - startedAt);
    return ranking;
  }

  #rankByWords(
    index: KeywordIndex,
    { turns, at }: RankQuestion,
    accountId = '',
  ): TurnRanking | Promise<TurnRanking> {
    return this.#options.share.run(accountId, rankByKeyword(index, makeTurnQuery(turns, at)));
  }

  async #rankSemantically(
    index: KeywordIndex,
    question: RankQuestion,
    encoders: EncoderChoice,
    timing: InferenceTiming,
  ): Promise<TurnRanking> {
    const turn = readStageTurn(question.turns, question.at);
    const { share } = this.#options;
    const keyword = await share.run(timing.accountId ?? '', rankByKeyword(index, turn.query));
    // A timeout does not cancel the vector ranking, which stops at its own deadline.
    const made = await withTimeout(
      this.#rankByVectors(index, turn, keyword.scores, encoders, timing),
      Math.max(0, timing.deadlineAt - performance.now()),
      'late',
    );
    return typeof made === 'string' ? { ...keyword, methodReason: made } : made;
  }

  async #rankByVectors(
    index: KeywordIndex,
    turn: StageTurn,
    keyword: Float64Array,
    encoders: EncoderChoice,
    timing: InferenceTiming,
  ): Promise<TurnRanking | MethodReason> {
    const { inference, share, vectors, secondStage, logger } = this.#options;
    try {
      const { encoder, secondEncoder } = inference;
      if (encoder === undefined) return 'no_model';
      const [encoded, matrix, second] = await Promise.all([
        this.#encode(turn, 'first', timing),
        vectors.matrixOf(index),
        encoders === 'both' ? this.#readSecond(index, turn, timing) : undefined,
      ]);
      if (typeof matrix === 'string') return matrix;
      const stageVectors = { ...joinVectors(matrix, encoded), second };
      const { logits, rankedBy } = await secondStage.score({
        index,
        turn,
        keyword,
        vectors: stageVectors,
        timing,
      });
      const ids = second === undefined || secondEncoder === undefined ? [] : [secondEncoder.id];
      const scored = { logits, keyword, rankedBy: nameSemantic([encoder.id, ...ids], rankedBy) };
      return await share.run(timing.accountId ?? '', describeLogits(index, turn.query, scored));
    } catch (error) {
      if (error instanceof InferenceRefused) return error.reason;
      logger.error({ err: error }, 'ranking by vectors failed, ranking by keyword');
      return 'no_model';
    }
  }

  /**
   * Returns the second encoder's vectors for a tool list and a turn. Returns undefined if a vector is missing, if the
   * second encoder fails, or if a ranking by both encoders would be late.
   */
  async #readSecond(
    index: KeywordIndex,
    turn: StageTurn,
    timing: InferenceTiming,
  ): Promise<EncoderVectors | undefined> {
    const matrix = await this.#options.secondVectors?.matrixOf(index);
    if (matrix === undefined) return undefined;
    const leftMs = Math.max(0, secondShare * (timing.deadlineAt - performance.now()));
    const soon = { ...timing, deadlineAt: performance.now() + leftMs };
    const read = this.#encode(turn, 'second', soon).then(
      (texts) => joinVectors(matrix, texts),
      () => undefined,
    );
    return withTimeout(read, leftMs, undefined);
  }

  /** Returns the vectors of the turn's texts, in the order of the texts. */
  async #encode(turn: StageTurn, encoder: EncoderPlace, timing: InferenceTiming): Promise<Float32Array[]> {
    // For a turn without context, both texts are the same object and are encoded only once.
    const texts = [...new Set(turn.texts)];
    const encoded = await this.#options.inference.run(
      { kind: 'encode', encoder, texts },
      { urgency: encoder === 'first' ? 'plan' : 'refined', ...timing },
    );
    const dimensions = encoded.length / texts.length;
    return turn.texts.map((text) => {
      const from = texts.indexOf(text) * dimensions;
      return encoded.subarray(from, from + dimensions);
    });
  }
}

/** Returns the vectors of one encoder in the form that the second stage reads. */
function joinVectors({ dimensions, numbers }: VectorMatrix, texts: readonly Float32Array[]): EncoderVectors {
  return { dimensions, tools: numbers, texts };
}
