import { join } from 'node:path';
import { parseConfig, redisUrl, serviceVariables, unlessEmpty } from '@gateway/messaging';
import { z } from 'zod';

/** The repository root, relative to both `apps/tool-router/src` and `dist/apps/tool-router`. */
const root = join(import.meta.dirname, '../../..');
const [encoderDir, rerankerDir] = [join(root, 'models/encoder'), join(root, 'models/reranker')];

const configSchema = z.object({
  ...serviceVariables,
  /**
   * URL of the Redis cache that replicas use to share tool vectors. The URL is optional, because the router
   * also works without Redis.
   */
  REDIS_CACHE_URL: unlessEmpty(redisUrl.optional()),
  /**
   * Maximum number of bytes of tool vectors that an account may cache per UTC day. With both encoders, a tool's
   * vectors take about 1,300 bytes. If an account exceeds the limit, each replica computes the vectors itself.
   */
  ROUTER_VECTOR_BYTES_PER_ACCOUNT_MAX: unlessEmpty(
    z.coerce
      .number()
      .int()
      .positive()
      .default(32 * 1024 * 1024),
  ),
  /**
   * Encoders that the semantic ranking method uses. The value `static` selects only the table of word vectors. The
   * value `minilm` also selects the second encoder (`models/minilm`) for tool lists with ready vectors. With
   * another encoder or reranker directory, the router never uses the second encoder.
   */
  ROUTER_ENCODER: unlessEmpty(z.enum(['static', 'minilm']).default('static')),
  /**
   * Path to the encoder directory. The directory contains either an encoder of this project (`encoder.json`) or any
   * sentence transformer (`model.onnx`, `tokenizer.json`). The default is the shipped encoder.
   */
  ROUTER_ENCODER_DIR: unlessEmpty(z.string().default(encoderDir)),
  /**
   * Path to the reranker directory. The directory contains either a feature reranker (`features.json`) or any
   * cross-encoder. `none` disables reranking. The default is the shipped reranker.
   */
  ROUTER_RERANKER_DIR: unlessEmpty(z.string().default(rerankerDir)),
  /** Number of threads per inference. With a single thread, the other cores stay free for other requests. */
  ROUTER_INFERENCE_THREADS: unlessEmpty(z.coerce.number().int().min(1).max(64).default(1)),
  /**
   * How long the router waits for vector ranking before it falls back to keyword ranking, in milliseconds.
   * The time limit must be well below the edge gateway's PLAN_DEADLINE_MS.
   */
  ROUTER_SEMANTIC_BUDGET_MS: unlessEmpty(z.coerce.number().int().min(1).max(10_000).default(100)),
});

export type ToolRouterConfig = z.output<typeof configSchema>;

/**
 * The directory of the second encoder. Null if only the first encoder is in use. The second stage for both
 * encoders was fitted with the shipped encoder and reranker, and is used only with the shipped models.
 */
export function secondEncoderDir(config: ToolRouterConfig): string | null {
  const isShipped = config.ROUTER_ENCODER_DIR === encoderDir && config.ROUTER_RERANKER_DIR === rerankerDir;
  return config.ROUTER_ENCODER === 'minilm' && isShipped ? join(root, 'models/minilm') : null;
}

/**
 * Parses the environment variables. If variables are invalid, the function throws one error that lists all of
 * them.
 */
export function loadConfig(variables: NodeJS.ProcessEnv = process.env): ToolRouterConfig {
  return parseConfig(configSchema, variables);
}
