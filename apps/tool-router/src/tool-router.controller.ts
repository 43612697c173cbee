import {
  defineTools,
  embedTools,
  planTools,
  planToolsAt,
  type DefineToolsRequest,
  type PlanToolsReply,
  type PlanToolsRequest,
} from '@gateway/contracts';
import type { ParsedRequestOf, ReplyOf } from '@gateway/messaging';
import { RpcHandler } from '@gateway/messaging/nest-transport';
import { withSpan } from '@gateway/observability';
import { Controller, Inject } from '@nestjs/common';
import { PlanMetrics } from './metrics/router-metrics.ts';
import { ToolPlanner } from './plan-tools/plan-tools.ts';
import { ToolIntake } from './tool-index/tool-memory.ts';
import { ToolEmbedding } from './vectors/embed-tools.ts';

/** Serves the router's contracts for plans, tool definitions and tool vectors. */
@Controller()
export class ToolRouterController {
  readonly #planner: ToolPlanner;
  readonly #intake: ToolIntake;
  readonly #embedding: ToolEmbedding;
  readonly #metrics: PlanMetrics;

  constructor(
    @Inject(ToolPlanner) planner: ToolPlanner,
    @Inject(ToolIntake) intake: ToolIntake,
    @Inject(ToolEmbedding) embedding: ToolEmbedding,
    @Inject(PlanMetrics) metrics: PlanMetrics,
  ) {
    this.#planner = planner;
    this.#intake = intake;
    this.#embedding = embedding;
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

  /**
   * Plans a request on this router instance after the edge gateway has sent the data that the instance lacked.
   */
  @RpcHandler(planToolsAt)
  planHere(request: PlanToolsRequest): Promise<PlanToolsReply> {
    return this.plan(request);
  }

  @RpcHandler(defineTools)
  define({ accountId, tools }: DefineToolsRequest): Promise<ReplyOf<typeof defineTools>> {
    return withSpan('tool-router.define', { 'gateway.tools': tools.length }, async () => {
      await this.#intake.define(tools, accountId);
      return { known: tools.length };
    });
  }

  @RpcHandler(embedTools)
  embed(request: ParsedRequestOf<typeof embedTools>): Promise<ReplyOf<typeof embedTools>> {
    return withSpan('tool-router.embed', { 'gateway.tools': request.tools.length }, () =>
      this.#embedding.embed(request),
    );
  }
}
