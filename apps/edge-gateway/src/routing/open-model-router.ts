import { accountChanged } from '@gateway/contracts';
import type { ModelCatalog } from '@gateway/model-catalog';
import type { Messaging } from '@gateway/messaging';
import type { Logger } from '@gateway/observability';
import type { Redis } from 'ioredis';
import { ModelRouter } from './model-router.ts';
import { ModelToggles } from './model-toggles.ts';
import { Observations } from './observations.ts';
import { RedisObservations } from './redis-observations.adapter.ts';
import { SessionPins } from './session-pins.ts';
import { ToolRecall } from './tool-recall.ts';

export interface OpenModelRouter {
  readonly modelRouter: ModelRouter;
  close(): void;
}

/** What chooses models, with what it knows. Its Redis may lose everything: then it is learned again. */
export function openModelRouter(
  catalog: ModelCatalog,
  cacheRedis: Redis,
  messaging: Messaging,
  log: Logger,
): OpenModelRouter {
  const observations = new Observations({ store: new RedisObservations(cacheRedis), log });
  messaging.onBroadcast(accountChanged, ({ accountId, deleted }) => {
    if (deleted) observations.forget(accountId);
  });
  const modelRouter = new ModelRouter({
    catalog,
    observations,
    toggles: new ModelToggles(messaging),
    recall: new ToolRecall(messaging),
    pins: new SessionPins(cacheRedis, log),
  });
  return { modelRouter, close: () => observations.close() };
}
