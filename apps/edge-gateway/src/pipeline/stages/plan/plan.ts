import type { ToolOutline, PlanReason } from '@gateway/interchange';
import type { Logger } from '@gateway/observability';
import { formatNamed } from '@gateway/wire-formats';
import type { SavedTokenBudgets } from '../../../budgets/saved-token-budgets.ts';
import type { Exchange } from '../../exchange.ts';
import type { PipelineSettings } from '../../services.ts';
import type { Caller } from '../../caller.ts';
import type { ParsedRequest } from '../../parsed-request.ts';
import { conversationContext } from './conversation-context.ts';
import type { Planner, PlanQuestion, PlanSubject } from './planner.ts';
import { namesInToolChoice } from '../../tool-choice.ts';
import { startDeadline } from './deadline.ts';
import { isBudgetExhausted, passUnoptimized, spendBudget } from './spend-budget.ts';
import type { ToolListIndex } from './tool-list-index.ts';
import { applyToolLists } from './tool-lists.ts';
import { identityPlan, type PlannedReply, type SchemaEdits, type ToolPlan } from '../../tool-plan.ts';

interface PlanServices {
  readonly budgets: SavedTokenBudgets;
  readonly planner: Planner;
  readonly toolLists: ToolListIndex;
  readonly settings: PipelineSettings;
  readonly log: Logger;
}

/**
 * Which tools go out, and in how many bytes. Allow and deny lists hold whatever happens to the rest; router and
 * compressor work side by side under one deadline, and whoever is late, down or wrong is gone without. What the plan
 * saves is held of the key's budget; one that is used up lets the request through as it came, or refuses it
 * (`saved_token_budget_exhausted`).
 */
export async function plan(
  request: ParsedRequest,
  exchange: Exchange,
  caller: Caller,
  services: PlanServices,
): Promise<ToolPlan> {
  const { outline } = request;
  const tools = applyToolLists(outline, caller);
  exchange.timings.planStartedAt = performance.now();
  const planned = await planFor(request, tools, exchange, caller, services);
  const spent = await spendBudget(planned, exchange, caller, services);
  exchange.timings.planEndedAt = performance.now();
  return spent;
}

async function planFor(
  request: ParsedRequest,
  tools: readonly ToolOutline[],
  exchange: Exchange,
  caller: Caller,
  services: PlanServices,
): Promise<ToolPlan> {
  const eligible = tools.map((tool) => tool.index);
  if (tools.length === 0) return identityPlan(eligible, null);
  if (isBudgetExhausted(caller, services)) return passUnoptimized(eligible, 'exhausted', exchange);
  const subject: PlanSubject = {
    format: formatNamed(exchange.format),
    tape: request.tape,
    tools,
    list: services.toolLists.hashesOf(request.bytes, tools),
  };
  const deadline = startDeadline(services.settings.planDeadlineMs, exchange.abort.signal);
  const [selected, schemas] = await Promise.allSettled([
    caller.pruning.mode === 'off'
      ? null
      : services.planner.selectTools(subject, questionOf(request, tools, exchange, caller), deadline.signal),
    caller.compression.mode === 'off' ? null : services.planner.compressSchemas(subject, deadline.signal),
  ]);
  deadline.clear();
  const late: PlanReason = deadline.signal.aborted ? 'timeout' : 'unavailable';
  for (const settled of [selected, schemas]) {
    if (settled.status === 'rejected')
      services.log.warn({ err: settled.reason as unknown, requestId: exchange.requestId }, `plan ${late}`);
  }
  const schemaEdits = schemas.status === 'fulfilled' ? schemas.value : null;
  if (selected.status === 'rejected') return withSchemas(identityPlan(eligible, late), schemaEdits);
  return withSchemas(planOf(eligible, selected.value, caller), schemaEdits);
}

function questionOf(
  request: ParsedRequest,
  tools: readonly ToolOutline[],
  exchange: Exchange,
  caller: Caller,
): PlanQuestion {
  const named = namesInToolChoice(request.outline.toolChoice);
  return {
    accountId: caller.accountId,
    requestId: exchange.requestId,
    ...conversationContext(request.outline.messages),
    forcedTools: [...named],
    pinned: tools.flatMap(pinnedPosition),
    kOverride: caller.kTargetOverride,
    recallTarget: caller.pruning.recallTarget,
  };
}

function pinnedPosition(tool: ToolOutline, position: number): PlanQuestion['pinned'] {
  if (tool.builtIn) return [{ position, because: 'built_in' }];
  return tool.cacheControl ? [{ position, because: 'cache_control' }] : [];
}

/** Positions in the router's list → indexes in the client's. In shadow mode the plan is made, and not followed. */
function planOf(eligible: readonly number[], reply: PlannedReply | null, caller: Caller): ToolPlan {
  if (reply === null) return identityPlan(eligible, 'off');
  if (caller.pruning.mode === 'shadow') return { ...identityPlan(eligible, 'shadow'), reply };
  const forwarded = reply.forwarded.flatMap((position) => eligible[position] ?? []);
  return { ...identityPlan(eligible, reply.kReason), forwarded, reply };
}

function withSchemas(planned: ToolPlan, byPosition: ReadonlyMap<number, SchemaEdits> | null): ToolPlan {
  if (byPosition === null || byPosition.size === 0) return planned;
  const forwarded = new Set(planned.forwarded);
  const schemaEdits = new Map<number, SchemaEdits>();
  for (const [position, edits] of byPosition) {
    const index = planned.eligible[position];
    if (index !== undefined && forwarded.has(index)) schemaEdits.set(index, edits);
  }
  return { ...planned, schemaEdits };
}
