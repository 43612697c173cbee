import { Inject, Module, type DynamicModule, type OnModuleDestroy } from '@nestjs/common';
import { DefineToolsHandler } from './define-tools/define-tools.handler.ts';
import type { ToolDefinitions } from './define-tools/tool-definitions.port.ts';
import { toolDefinitions } from './define-tools/tool-definitions.token.ts';
import { EmbedToolsHandler } from './embed-tools/embed-tools.handler.ts';
import { ToolEmbedding } from './embed-tools/embed-tools.ts';
import { PlanMetrics } from './plan-tools/plan-metrics.ts';
import { PlanToolsHandler } from './plan-tools/plan-tools.handler.ts';
import { ToolPlanner } from './plan-tools/plan-tools.ts';

export interface ToolRouterParts {
  readonly planner: ToolPlanner;
  readonly definitions: ToolDefinitions;
  readonly embedding: ToolEmbedding;
  readonly metrics: PlanMetrics;
  /** Ends what the parts run on. */
  readonly close: () => Promise<void>;
}

const closeParts = Symbol('closeParts');

@Module({})
export class ToolRouterModule implements OnModuleDestroy {
  readonly #close: ToolRouterParts['close'];

  constructor(@Inject(closeParts) close: ToolRouterParts['close']) {
    this.#close = close;
  }

  static create({ planner, definitions, embedding, metrics, close }: ToolRouterParts): DynamicModule {
    return {
      module: ToolRouterModule,
      controllers: [PlanToolsHandler, DefineToolsHandler, EmbedToolsHandler],
      providers: [
        { provide: toolDefinitions, useValue: definitions },
        { provide: ToolPlanner, useValue: planner },
        { provide: ToolEmbedding, useValue: embedding },
        { provide: PlanMetrics, useValue: metrics },
        { provide: closeParts, useValue: close },
      ],
    };
  }

  async onModuleDestroy(): Promise<void> {
    await this.#close();
  }
}
