import { join } from 'node:path';
import { parseConfig, serviceVariables, unlessEmpty } from '@gateway/messaging';
import { z } from 'zod';

/** The repository's root, from `apps/tool-router/src` and from `dist/apps/tool-router` alike. */
const root = join(import.meta.dirname, '../../..');

const configSchema = z.object({
  ...serviceVariables,
  /** The cache's Redis, through which replicas share the vectors of tools. It may be away, or not be named at all. */
  REDIS_CACHE_URL: unlessEmpty(z.url({ protocol: /^rediss?$/ }).optional()),
  /**
   * Directory of the encoder: one of ours (`encoder.json`), or any sentence transformer's (`model.onnx`,
   * `tokenizer.json`). The shipped one unless given.
   */
  ROUTER_ENCODER_DIR: unlessEmpty(z.string().default(join(root, 'models/encoder'))),
  /** Directory of the reranker: one of ours (`features.json`), or any cross-encoder's; `none` for none. The shipped one unless given. */
  ROUTER_RERANKER_DIR: unlessEmpty(z.string().default(join(root, 'models/reranker'))),
  /** Threads of one inference. One leaves the other cores to other requests. */
  ROUTER_INFERENCE_THREADS: unlessEmpty(z.coerce.number().int().min(1).max(64).default(1)),
  /** Milliseconds after which the keyword ranking takes the place of one by vectors. Well below the edge's PLAN_DEADLINE_MS. */
  ROUTER_SEMANTIC_BUDGET_MS: unlessEmpty(z.coerce.number().int().min(1).max(10_000).default(100)),
});

export type ToolRouterConfig = z.output<typeof configSchema>;

/** Parses the environment; throws one error that lists every variable at fault. */
export function loadConfig(variables: NodeJS.ProcessEnv = process.env): ToolRouterConfig {
  return parseConfig(configSchema, variables);
}
