import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { ToolDefinition } from '@gateway/contracts';
import type { Logger, Metrics } from '@gateway/observability';
import { InferenceMetrics, VectorMetrics, RankingMetrics } from '../metrics/router-metrics.ts';
import { InferenceThreads } from '../inference-threads/inference-threads.adapter.ts';
import type { Inference } from '../inference/inference.port.ts';
import { LocalReranker } from '../inference-threads/local-reranker.ts';
import { FeatureReranker } from '../reranker/feature-reranker.adapter.ts';
import { allFeatureNames } from '../second-stage/feature-names.ts';
import { Synonyms } from '../second-stage/soft-match.ts';
import type { KeywordIndex } from '../tool-index/keyword-index.ts';
import type { SharedVectors } from '../vectors/shared-vectors.port.ts';
import { SecondVectors } from '../vectors/second-vectors.ts';
import { ToolVectors } from '../vectors/tool-vectors.ts';
import { VectorStore } from '../vectors/vector-store.ts';
import type { RouterShares } from '../shares/router-shares.ts';
import { LoopRanker } from './loop-ranker.ts';
import { MemoizedRanker } from './memoized-ranker.ts';
import type { EncoderChoice, ToolRanker } from './ranker.port.ts';
import { hasOurFeatures, SecondStage, ToolTextMemory } from '../second-stage/second-stage.ts';
import { SemanticRanker } from './semantic-ranker.ts';

const mebibyte = 1024 * 1024;
/**
 * Size limits of the ranking caches. The router can rebuild all of its cached data. 100,000 vectors from the
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
  /**
   * Path to the second encoder's directory, with its second stage in `second-stage`. Null if the first
   * encoder ranks all lists.
   */
  readonly secondEncoderDir: string | null;
  readonly rerankerDir: string | null;
  readonly threads: number;
  readonly budgetMs: number;
  readonly shares: RouterShares;
  readonly shared: SharedVectors;
  readonly logger: Logger;
  readonly metrics: Metrics;
  /** Called if no store has the vectors of some tools in a list, with the hashes of the list and of these tools. */
  readonly onForgotten: (listHash: string, hashes: readonly string[]) => void;
}

/** The router's ranker and the resources that it uses. */
export interface Ranking {
  readonly ranker: ToolRanker;
  readonly vectors: ToolVectors;
  /** The second encoder's vectors. Undefined if only the first encoder is in use. */
  readonly secondVectors: SecondVectors | undefined;
  readonly inference: Inference;
  /**
   * Chooses the encoders for a conversation that starts with the tool list. The choice is `both` if the
   * second encoder's vectors are available for all tools.
   */
  readonly chooseEncoders: (index: KeywordIndex) => Promise<EncoderChoice>;
  /** Starts computing vectors for new tool definitions. */
  readonly learn: (definitions: readonly ToolDefinition[], accountId?: string) => void;
  readonly close: () => Promise<void>;
}

/**
 * Loads the models that rank tools. A missing model does not cause an error. Without a model, tools are
 * ranked by keyword, and the log and metrics report the missing model.
 */
export async function openRanking(options: RankingOptions): Promise<Ranking> {
  const { rerankerDir, shares, logger, metrics } = options;
  const bothReranker = await openBothReranker(options);
  const { inference, close } = await openInference(options, bothReranker);
  const common = { inference, share: shares.loop };
  const { vectors, secondVectors } = openVectors(options, inference, bothReranker !== undefined);
  const texts = new ToolTextMemory(textsBytesMax);
  const synonyms = await readSynonyms(rerankerDir, logger);
  const secondStage = new SecondStage({
    ...{ ...common, synonyms, texts, pairsMax, bothReranker },
    listsBytesMax: stageListsBytesMax,
  });
  const semantic = new SemanticRanker({
    ...common,
    vectors,
    secondVectors,
    secondStage,
    metrics: new RankingMetrics(metrics),
    logger,
    budgetMs: options.budgetMs,
  });
  showState(metrics, inference, vectors, secondVectors);
  return {
    ranker: new LoopRanker(new MemoizedRanker(semantic, rankingsBytesMax)),
    vectors,
    secondVectors,
    inference,
    chooseEncoders: async (index) =>
      (await secondVectors?.matrixOf(index)) === undefined ? 'first' : 'both',
    learn: (definitions, accountId) => {
      vectors.prepare(definitions, accountId);
      secondVectors?.prepare(definitions, accountId);
      if (inference.reranker?.reads.kind === 'pairs') texts.keep(definitions);
    },
    close,
  };
}

/** Runs the models in a worker thread. Only a small feature reranker runs in this thread. */
async function openInference(options: RankingOptions, bothReranker: FeatureReranker | undefined) {
  const { encoderDir, rerankerDir, threads, shares, logger, metrics } = options;
  const secondEncoderDir = bothReranker === undefined ? null : options.secondEncoderDir;
  const local = rerankerDir === null ? undefined : await LocalReranker.open(rerankerDir, logger);
  const running = await InferenceThreads.start({
    data: { encoderDir, secondEncoderDir, rerankerDir: local === undefined ? rerankerDir : null, threads },
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
    await bothReranker?.release();
  };
  return { inference, close };
}

/**
 * Loads the second stage for the vectors of both encoders. The second stage runs on the calling thread.
 * Returns undefined if no second encoder is configured, or if the second stage cannot be used.
 */
async function openBothReranker({
  secondEncoderDir,
  logger,
}: RankingOptions): Promise<FeatureReranker | undefined> {
  if (secondEncoderDir === null) return undefined;
  const directory = join(secondEncoderDir, 'second-stage');
  try {
    const reranker = await FeatureReranker.open(directory, 1);
    if (reranker.reads.features.join() === allFeatureNames.join()) return reranker;
    await reranker.release();
    throw new Error(`${directory}: the second stage has unknown features`);
  } catch (error) {
    logger.error(
      { err: error, directory },
      'no second stage for both encoders, ranking with the first encoder',
    );
    return undefined;
  }
}

function openVectors(options: RankingOptions, inference: Inference, hasSecond: boolean) {
  const metrics = VectorMetrics.open(options.metrics);
  const limits = { vectorsBytesMax, matricesBytesMax };
  const common = { shared: options.shared, onForgotten: options.onForgotten, ...limits };
  const first = new VectorStore(() => inference.encoder, { ...common, metrics: metrics.first });
  const vectors = new ToolVectors({
    ...{ inference, share: options.shares.loop, store: first, metrics: metrics.first },
  });
  const secondStore = new VectorStore(() => inference.secondEncoder, { ...common, metrics: metrics.second });
  const second = { inference, store: secondStore, metrics: metrics.second };
  return { vectors, secondVectors: hasSecond ? new SecondVectors(second) : undefined };
}

type ShowGauge = (name: string, help: string, collect: () => number) => void;

function showState(
  metrics: Metrics,
  inference: Inference,
  vectors: ToolVectors,
  second: SecondVectors | undefined,
): void {
  const gauge: ShowGauge = (name, help, collect) => void metrics.gauge({ name, help, collect });
  gauge(
    'tool_router_encoder_up',
    '1 while an encoder runs, 0 otherwise. Without an encoder tools are ranked by keyword.',
    () => (inference.encoder === undefined ? 0 : 1),
  );
  gauge('tool_router_reranker_up', '1 while a reranker runs, 0 otherwise.', () =>
    inference.reranker === undefined ? 0 : 1,
  );
  gauge('tool_router_vectors', 'Tool vectors of the first encoder in memory.', () => vectors.size);
  gauge(
    'tool_router_vector_bytes',
    'Memory of the vectors and matrices of both encoders, in bytes.',
    () => vectors.bytes + (second?.bytes ?? 0),
  );
  gauge(
    'tool_router_vectors_pending',
    'Definitions that wait for a vector of the first encoder.',
    () => vectors.pending,
  );
  showSecond(gauge, inference, second);
}

function showSecond(gauge: ShowGauge, inference: Inference, second: SecondVectors | undefined): void {
  gauge(
    'tool_router_second_encoder_up',
    '1 while the second encoder runs, 0 otherwise. Without the second encoder the first encoder ranks all lists.',
    () => (inference.secondEncoder === undefined ? 0 : 1),
  );
  gauge(
    'tool_router_second_vectors',
    'Tool vectors of the second encoder in memory.',
    () => second?.size ?? 0,
  );
  gauge(
    'tool_router_second_vectors_pending',
    'Definitions that wait for a vector of the second encoder.',
    () => second?.pending ?? 0,
  );
}

/**
 * Loads the synonyms that are stored next to a feature reranker. If the synonyms file is missing, returns no synonyms.
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
