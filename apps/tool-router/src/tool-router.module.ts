import type { LoopShare } from '@gateway/messaging';
import type { Metrics } from '@gateway/observability';
import { Inject, Module, type DynamicModule, type OnModuleDestroy } from '@nestjs/common';
import { PlanMetrics } from './metrics/router-metrics.ts';
import { ToolPlanner } from './plan-tools/plan-tools.ts';
import { recallPriors } from './policy/recall-prior.ts';
import type { RoutingPolicies } from './policy/routing-policies.port.ts';
import type { Ranking } from './ranking/open-ranking.ts';
import { ToolIntake, type ToolMemory } from './tool-index/tool-memory.ts';
import { ToolRouterController } from './tool-router.controller.ts';
import { ToolEmbedding } from './vectors/embed-tools.ts';

export interface ToolRouterParts {
  readonly memory: ToolMemory;
  readonly ranking: Ranking;
  readonly share: LoopShare;
  readonly policies: RoutingPolicies;
  readonly metrics: Metrics;
  readonly instanceId: string;
  /** Stops the inference threads and closes all connections on shutdown. */
  readonly close: () => Promise<void>;
}

const CLOSE_PARTS = Symbol('CLOSE_PARTS');

@Module({})
export class ToolRouterModule implements OnModuleDestroy {
  readonly #close: ToolRouterParts['close'];

  constructor(@Inject(CLOSE_PARTS) close: ToolRouterParts['close']) {
    this.#close = close;
  }

  static forRoot(parts: ToolRouterParts): DynamicModule {
    const { memory, ranking, share, policies, metrics, instanceId, close } = parts;
    const { ranker, learn, inference, chooseEncoders } = ranking;
    const planner = (): ToolPlanner =>
      new ToolPlanner({
        ...{ lists: memory, ranker, chooseEncoders, priors: recallPriors },
        ...{ policies, share, instanceId },
      });
    return {
      module: ToolRouterModule,
      controllers: [ToolRouterController],
      providers: [
        { provide: ToolPlanner, useFactory: planner },
        { provide: ToolIntake, useFactory: () => new ToolIntake({ memory, learn, share }) },
        { provide: ToolEmbedding, useFactory: () => new ToolEmbedding(inference) },
        { provide: PlanMetrics, useFactory: () => new PlanMetrics(metrics) },
        { provide: CLOSE_PARTS, useValue: close },
      ],
    };
  }

  async onModuleDestroy(): Promise<void> {
    await this.#close();
  }
}
