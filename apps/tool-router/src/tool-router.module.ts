import type { Metrics } from '@gateway/observability';
import { Module, type DynamicModule } from '@nestjs/common';
import { DefineToolsHandler } from './define-tools/define-tools.handler.ts';
import { ToolMemory } from './define-tools/tool-memory.adapter.ts';
import { keywordPriors } from './plan-tools/keyword-priors.ts';
import { PlanMetrics } from './plan-tools/plan-metrics.ts';
import { PlanToolsHandler } from './plan-tools/plan-tools.handler.ts';
import { ToolPlanner } from './plan-tools/plan-tools.ts';
import { keywordRanker } from './ranking/keyword-ranker.ts';
import { MemoizedRanker } from './ranking/memoized-ranker.ts';

const mebibyte = 1024 * 1024;
/** What the router keeps; all of it can be made again. */
const definitionsBytesMax = 256 * mebibyte;
const listsBytesMax = 128 * mebibyte;
const rankingsBytesMax = 32 * mebibyte;

@Module({})
export class ToolRouterModule {
  static create({ instanceId, metrics }: { instanceId: string; metrics: Metrics }): DynamicModule {
    const memory = new ToolMemory({ definitionsBytesMax, listsBytesMax });
    metrics.gauge({
      name: 'tool_router_definitions',
      help: 'Tool definitions in memory.',
      collect: () => memory.definitions,
    });
    metrics.gauge({ name: 'tool_router_lists', help: 'Tool lists in memory.', collect: () => memory.lists });
    const planner = new ToolPlanner({
      lists: memory,
      ranker: new MemoizedRanker(keywordRanker, rankingsBytesMax),
      policy: keywordPriors,
      instanceId,
    });
    return {
      module: ToolRouterModule,
      controllers: [PlanToolsHandler, DefineToolsHandler],
      providers: [
        { provide: ToolMemory, useValue: memory },
        { provide: ToolPlanner, useValue: planner },
        { provide: PlanMetrics, useValue: new PlanMetrics(metrics) },
      ],
    };
  }
}
