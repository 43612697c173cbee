import type { LoopShare } from '@gateway/messaging';
import { withTimeout, type Logger } from '@gateway/observability';
import { InferenceRefused, type Inference } from '../inference/inference.port.ts';
import type { ToolVectors } from '../vectors/tool-vectors.ts';
import { describeLogits } from './describe-ranking.ts';
import { rankByKeyword } from './keyword-ranker.ts';
import { shortListMax } from './ranker.port.ts';
import type { MethodReason, RankOptions, RankQuestion, ToolRanker, TurnRanking } from './ranker.port.ts';
import type { RankingMetrics } from '../metrics/router-metrics.ts';
import { readStageTurn, type StageTurn } from '../second-stage/stage-turn.ts';
import type { InferenceTiming, SecondStage } from '../second-stage/second-stage.ts';
import type { KeywordIndex } from '../tool-index/keyword-index.ts';
import { makeTurnQuery } from '../tool-index/keyword-scores.ts';

export interface SemanticRankerOptions {
  readonly inference: Inference;
  readonly share: LoopShare;
  readonly vectors: ToolVectors;
  readonly secondStage: SecondStage;
  readonly metrics: RankingMetrics;
  readonly logger: Logger;
  /** Time limit in milliseconds for a query without a deadline. */
  readonly budgetMs: number;
}

/**
 * Ranks by vectors and keywords. The ranker encodes the turn, loads the vectors of the tool list, and then runs
 * the second stage. The ranker computes the cheap keyword ranking first. If a step of vector ranking fails, is
 * late or lacks data, the ranker returns the keyword ranking.
 */
export class SemanticRanker implements ToolRanker {
  readonly #options: SemanticRankerOptions;

  constructor(options: SemanticRankerOptions) {
    this.#options = options;
  }

  async rank(index: KeywordIndex, question: RankQuestion, options: RankOptions = {}): Promise<TurnRanking> {
    const startedAt = performance.now();
    const { deadlineAt = startedAt + this.#options.budgetMs, method, accountId } = options;
    const timing: InferenceTiming = { deadlineAt, ...(accountId === undefined ? {} : { accountId }) };
    const byWords: MethodReason | null =
      method === 'keyword' ? 'asked' : index.names.length <= shortListMax ? 'short_list' : null;
    const ranking =
      byWords === null
        ? await this.#rankByBoth(index, question, timing)
        : { ...(await this.#rankByWords(index, question, accountId)), methodReason: byWords };
    this.#options.metrics.observe(ranking.method, ranking.methodReason, performance.now() - startedAt);
    return ranking;
  }

  #rankByWords(
    index: KeywordIndex,
    { turns, at }: RankQuestion,
    accountId = '',
  ): TurnRanking | Promise<TurnRanking> {
    return this.#options.share.run(accountId, rankByKeyword(index, makeTurnQuery(turns, at)));
  }

  async #rankByBoth(
    index: KeywordIndex,
    question: RankQuestion,
    timing: InferenceTiming,
  ): Promise<TurnRanking> {
    const turn = readStageTurn(question.turns, question.at);
    const { share } = this.#options;
    const keyword = await share.run(timing.accountId ?? '', rankByKeyword(index, turn.query));
    // A timeout does not cancel the inference work, which stops at its own deadline.
    const made = await withTimeout(
      this.#rankByVectors(index, turn, keyword.scores, timing),
      Math.max(0, timing.deadlineAt - performance.now()),
      'late',
    );
    return typeof made === 'string' ? { ...keyword, methodReason: made } : made;
  }

  async #rankByVectors(
    index: KeywordIndex,
    turn: StageTurn,
    keyword: Float64Array,
    timing: InferenceTiming,
  ): Promise<TurnRanking | MethodReason> {
    const { inference, share, vectors, secondStage, logger } = this.#options;
    try {
      const { encoder } = inference;
      if (encoder === undefined) return 'no_model';
      // For a turn without context, both texts are the same object and are encoded only once.
      const texts = [...new Set(turn.texts)];
      const [encoded, matrix] = await Promise.all([
        inference.run({ kind: 'encode', texts }, { urgency: 'plan', ...timing }),
        vectors.matrixOf(index),
      ]);
      if (typeof matrix === 'string') return matrix;
      const { dimensions, numbers: tools } = matrix;
      const cut = cutVectors(encoded, dimensions);
      const ofTexts = turn.texts.map((text) => cut[texts.indexOf(text)] ?? new Float32Array(dimensions));
      const stageVectors = { dimensions, tools, texts: ofTexts };
      const { logits, rankedBy } = await secondStage.score({
        index,
        turn,
        keyword,
        vectors: stageVectors,
        timing,
      });
      const scored = { logits, keyword, rankedBy: `semantic.1.${encoder.id}${rankedBy}` };
      return await share.run(timing.accountId ?? '', describeLogits(index, turn.query, scored));
    } catch (error) {
      if (error instanceof InferenceRefused) return error.reason;
      logger.error({ err: error }, 'ranking by vectors failed, ranking by keyword');
      return 'no_model';
    }
  }
}

function cutVectors(encoded: Float32Array, dimensions: number): Float32Array[] {
  return Array.from({ length: encoded.length / dimensions }, (_, at) =>
    encoded.subarray(at * dimensions, (at + 1) * dimensions),
  );
}
