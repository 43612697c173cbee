import { join } from 'node:path';
import { parseConfig, serviceVariables, unlessEmpty } from '@gateway/messaging';
import { z } from 'zod';

/** The repository's root, relative to `apps/tool-router/src` and to `dist/apps/tool-router`. */
const root = join(import.meta.dirname, '../../..');

const configSchema = z.object({
  ...serviceVariables,
  /**
   * URL of the cache Redis, through which replicas share tool vectors. Optional; the router works while it is
   * unavailable.
   */
  REDIS_CACHE_URL: unlessEmpty(z.url({ protocol: /^rediss?$/ }).optional()),
  /**
   * Directory of the encoder: a project encoder (`encoder.json`) or any sentence transformer (`model.onnx`,
   * `tokenizer.json`). Default: the shipped encoder.
   */
  ROUTER_ENCODER_DIR: unlessEmpty(z.string().default(join(root, 'models/encoder'))),
  /**
   * Directory of the reranker: a feature reranker (`features.json`) or any cross-encoder. `none` disables it.
   * Default: the shipped reranker.
   */
  ROUTER_RERANKER_DIR: unlessEmpty(z.string().default(join(root, 'models/reranker'))),
  /** Threads per inference. One thread leaves the other cores to other requests. */
  ROUTER_INFERENCE_THREADS: unlessEmpty(z.coerce.number().int().min(1).max(64).default(1)),
  /**
   * Milliseconds after which keyword ranking replaces ranking by vectors. Keep it well below PLAN_DEADLINE_MS
   * of the edge gateway.
   */
  ROUTER_SEMANTIC_BUDGET_MS: unlessEmpty(z.coerce.number().int().min(1).max(10_000).default(100)),
});

export type ToolRouterConfig = z.output<typeof configSchema>;

/** Parses the environment. Throws one error that lists every invalid variable. */
export function loadConfig(variables: NodeJS.ProcessEnv = process.env): ToolRouterConfig {
  return parseConfig(configSchema, variables);
}
