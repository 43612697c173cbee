import { planTools, planToolsAt, type PlanToolsReply, type PlanToolsRequest } from '@gateway/contracts';
import { RpcHandler } from '@gateway/messaging';
import { withSpan } from '@gateway/observability';
import { Controller, Inject } from '@nestjs/common';
import { PlanMetrics } from './plan-metrics.ts';
import { ToolPlanner } from './plan-tools.ts';

@Controller()
export class PlanToolsHandler {
  readonly #planner: ToolPlanner;
  readonly #metrics: PlanMetrics;

  constructor(@Inject(ToolPlanner) planner: ToolPlanner, @Inject(PlanMetrics) metrics: PlanMetrics) {
    this.#planner = planner;
    this.#metrics = metrics;
  }

  @RpcHandler(planTools)
  plan(request: PlanToolsRequest): Promise<PlanToolsReply> {
    return withSpan('tool-router.plan', { 'gateway.user_turns': request.userTurns.length }, async (span) => {
      const startedAt = performance.now();
      const reply = await this.#planner.plan(request);
      this.#metrics.observe(reply, performance.now() - startedAt);
      span.setAttribute('gateway.plan.status', reply.status);
      if (reply.status === 'planned') {
        span.setAttributes({
          'gateway.tools.in': reply.candidates.length,
          'gateway.tools.out': reply.forwarded.length,
          'gateway.plan.reason': reply.kReason,
          'gateway.plan.method': reply.method,
        });
      }
      return reply;
    });
  }

  @RpcHandler(planToolsAt)
  planHere(request: PlanToolsRequest): Promise<PlanToolsReply> {
    return this.plan(request);
  }
}
