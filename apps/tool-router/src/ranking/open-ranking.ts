import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { ToolDefinition } from '@gateway/contracts';
import type { Logger, Metrics } from '@gateway/observability';
import { InferenceMetrics, VectorMetrics, RankingMetrics } from '../metrics/router-metrics.ts';
import { InferenceThreads } from '../inference-threads/inference-threads.adapter.ts';
import type { Inference } from '../inference/inference.port.ts';
import { LocalReranker } from '../inference-threads/local-reranker.ts';
import { Synonyms } from '../second-stage/soft-match.ts';
import type { SharedVectors } from '../vectors/shared-vectors.port.ts';
import { ToolVectors } from '../vectors/tool-vectors.ts';
import type { RouterShares } from '../shares/router-shares.ts';
import { LoopRanker } from './loop-ranker.ts';
import { MemoizedRanker } from './memoized-ranker.ts';
import type { ToolRanker } from './ranker.port.ts';
import { hasOurFeatures, SecondStage, ToolTextMemory } from '../second-stage/second-stage.ts';
import { SemanticRanker } from './semantic-ranker.ts';

const mebibyte = 1024 * 1024;
/**
 * Size limits for the ranking caches. The router can rebuild all cached data. 100,000 vectors from the
 * shipped encoder take 48 MB.
 */
const vectorsBytesMax = 64 * mebibyte;
const matricesBytesMax = 24 * mebibyte;
const stageListsBytesMax = 24 * mebibyte;
const rankingsBytesMax = 24 * mebibyte;
const textsBytesMax = 64 * mebibyte;
/**
 * Number of candidates that a cross-encoder can score within the time budget. A MiniLM-sized model takes
 * about 4 ms per candidate.
 */
const pairsMax = 12;

export interface RankingOptions {
  readonly encoderDir: string;
  readonly rerankerDir: string | null;
  readonly threads: number;
  readonly budgetMs: number;
  readonly shares: RouterShares;
  readonly shared: SharedVectors;
  readonly logger: Logger;
  readonly metrics: Metrics;
  /** A callback for each tool list that contains tools without a stored vector. */
  readonly onForgotten: (listHash: string, hashes: readonly string[]) => void;
}

/** The router's ranker and its resources. */
export interface Ranking {
  readonly ranker: ToolRanker;
  readonly vectors: ToolVectors;
  readonly inference: Inference;
  /** Starts computing vectors for new tool definitions. */
  readonly learn: (definitions: readonly ToolDefinition[], accountId?: string) => void;
  readonly close: () => Promise<void>;
}

/**
 * Loads the models for ranking. A missing model is not an error. Without a model, tools are ranked by keyword,
 * and the log and metrics report the missing model.
 */
export async function openRanking(options: RankingOptions): Promise<Ranking> {
  const { rerankerDir, shares, logger, metrics } = options;
  const { inference, close } = await openInference(options);
  const common = { inference, share: shares.loop };
  const vectors = new ToolVectors({
    ...common,
    shared: options.shared,
    metrics: new VectorMetrics(metrics),
    vectorsBytesMax,
    matricesBytesMax,
    onForgotten: options.onForgotten,
  });
  const texts = new ToolTextMemory(textsBytesMax);
  const synonyms = await readSynonyms(rerankerDir, logger);
  const secondStage = new SecondStage({
    ...{ ...common, synonyms, texts, pairsMax },
    listsBytesMax: stageListsBytesMax,
  });
  const semantic = new SemanticRanker({
    ...common,
    vectors,
    secondStage,
    metrics: new RankingMetrics(metrics),
    logger,
    budgetMs: options.budgetMs,
  });
  showState(metrics, inference, vectors);
  return {
    ranker: new LoopRanker(new MemoizedRanker(semantic, rankingsBytesMax)),
    vectors,
    inference,
    learn: (definitions, accountId) => {
      vectors.prepare(definitions, accountId);
      if (inference.reranker?.reads.kind === 'pairs') texts.keep(definitions);
    },
    close,
  };
}

/** Runs the models in a worker thread, except for a small feature reranker, which runs in this thread. */
async function openInference({ encoderDir, rerankerDir, threads, shares, logger, metrics }: RankingOptions) {
  const local = rerankerDir === null ? undefined : await LocalReranker.open(rerankerDir, logger);
  const running = await InferenceThreads.start({
    data: { encoderDir, rerankerDir: local === undefined ? rerankerDir : null, threads },
    vectorTime: shares.vectors,
    logger,
    metrics: new InferenceMetrics(metrics),
  });
  const inference = LocalReranker.over(running, local);
  if (local !== undefined)
    logger.info({ id: local.id, rerankerDir }, 'opened the reranker in the main thread');
  const reads = inference.reranker?.reads;
  if (reads?.kind === 'features' && !hasOurFeatures(reads.features)) {
    logger.error({ rerankerDir }, 'reranker has unknown features, ranking without it');
  }
  metrics.gauge({
    name: 'tool_router_inference_waiting',
    help: 'Inference tasks in the queue.',
    collect: () => running.waiting,
  });
  const close = async (): Promise<void> => {
    await running.close();
    await local?.release();
  };
  return { inference, close };
}

function showState(metrics: Metrics, inference: Inference, vectors: ToolVectors): void {
  const gauge = (name: string, help: string, collect: () => number): void =>
    void metrics.gauge({ name, help, collect });
  gauge(
    'tool_router_encoder_up',
    '1 while an encoder runs, 0 otherwise. Without an encoder tools are ranked by keyword.',
    () => (inference.encoder === undefined ? 0 : 1),
  );
  gauge('tool_router_reranker_up', '1 while a reranker runs, 0 otherwise.', () =>
    inference.reranker === undefined ? 0 : 1,
  );
  gauge('tool_router_vectors', 'Tool vectors in memory.', () => vectors.size);
  gauge('tool_router_vector_bytes', 'Memory of vectors and matrices, in bytes.', () => vectors.bytes);
  gauge('tool_router_vectors_pending', 'Definitions that wait for a vector.', () => vectors.pending);
}

/**
 * Loads the synonyms stored next to a feature reranker. If the synonyms file is missing, returns no synonyms.
 */
async function readSynonyms(rerankerDir: string | null, logger: Logger): Promise<Synonyms> {
  if (rerankerDir === null) return Synonyms.none;
  const bytes = await readFile(join(rerankerDir, 'synonyms.bin')).catch(() => undefined);
  if (bytes === undefined) return Synonyms.none;
  try {
    return Synonyms.parse(bytes);
  } catch (error) {
    logger.error({ err: error, rerankerDir }, 'synonyms.bin is invalid, ranking without synonyms');
    return Synonyms.none;
  }
}
