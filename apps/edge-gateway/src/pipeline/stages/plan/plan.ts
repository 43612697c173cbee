import type { ToolOutline, PlanReason } from '@gateway/interchange';
import type { ModelCatalog } from '@gateway/model-catalog';
import type { Logger } from '@gateway/observability';
import { formatNamed } from '@gateway/wire-formats';
import type { SavedTokenBudgets } from '../../../budgets/saved-token-budgets.ts';
import type { Exchange } from '../../exchange/exchange.ts';
import type { PipelineSettings } from '../../../request/settings.ts';
import type { Caller, ParsedRequest, Target } from '../../../request/request.ts';
import {
  listSent,
  type Deferral,
  identityPlan,
  type SchemaEdits,
  type ToolPlan,
} from '../../exchange/tool-plan.ts';
import type { ContextPlanner } from './context/context-planner.ts';
import { armRecovery } from './arm-recovery.ts';
import {
  boundDeferral,
  chooseBoundMode,
  chooseDeferral,
  loadCalledTools,
  type BoundMode,
} from './deferral.ts';
import type { BoundServices } from './bound-turns.ts';
import { planBound, planBoundCount } from './plan-bound.ts';
import type { Planner } from './router/planner.port.ts';
import { planContext } from './context/plan-context.ts';
import { letOthersRun } from '../../../admission/admission.ts';
import {
  findStoredState,
  isLarge,
  isReasoningBound,
  isResponseStored,
} from '../../../request/request-facts.ts';
import type {
  ConversationPlan,
  ConversationPlanner,
  ConversationSubject,
} from './conversation/conversation-planner.ts';
import { startDeadline } from '../../../request/deadline.ts';
import { isBudgetExhausted, passUnoptimized, spendBudget } from './spend-budget.ts';
import type { ToolListHasher } from './router/tool-list-hasher.ts';

interface PlanServices {
  readonly budgets: SavedTokenBudgets;
  readonly planner: Planner;
  readonly conversations: ConversationPlanner;
  readonly boundPlans: BoundServices['boundPlans'];
  readonly context: ContextPlanner;
  readonly catalog: ModelCatalog;
  readonly toolLists: ToolListHasher;
  readonly settings: PipelineSettings;
  readonly log: Logger;
}

/**
 * Combines three independent results, which are the tool set, the shortened schemas and the compressed conversation.
 * The planned request has only tools that the key may use. The tool router and the compressor run in parallel under
 * one deadline. Late or failed results of the two services are ignored. The planned savings are reserved from the
 * API key's budget. If the budget is exhausted, the request is sent unchanged or rejected with
 * `saved_token_budget_exhausted`.
 */
export async function plan(
  request: ParsedRequest,
  target: Target,
  exchange: Exchange,
  caller: Caller,
  services: PlanServices,
): Promise<ToolPlan> {
  const { tools } = request.outline;
  exchange.timings.planStartedAt = performance.now();
  let known: ConversationSubject | undefined;
  const subject = (): ConversationSubject =>
    (known ??= subjectOf(request, target, tools, exchange, caller, services));
  const fixing = planFixed(request, target, subject, services);
  if (fixing !== null) {
    const fixed = await fixing;
    exchange.timings.planEndedAt = performance.now();
    return { ...fixed, toolHashes: known?.list.toolHashes };
  }
  const planned = await planFor(request, target, subject, exchange, caller, services);
  const { planner, settings } = services;
  const armed = armRecovery(loadCalledTools(planned, request), {
    request,
    subject,
    exchange,
    caller,
    planner,
    deadlineMs: settings.planDeadlineMs,
  });
  const spent = await spendBudget(armed, exchange, caller, services);
  exchange.timings.planEndedAt = performance.now();
  return { ...spent, toolHashes: known?.list.toolHashes };
}

/** Plans a request if the conversation's tools must stay the same. Returns null if the tools may change. */
function planFixed(
  request: ParsedRequest,
  target: Target,
  subjectFor: () => ConversationSubject,
  services: PlanServices,
): Promise<ToolPlan> | null {
  const { tools } = request.outline;
  const stored = findStoredState(request);
  if (stored !== undefined || isResponseStored(request, target)) {
    const eligible = tools.map((tool) => tool.index);
    const reason = stored === 'thread' ? 'thread' : 'stateful';
    return Promise.resolve(identityPlan(eligible, tools.length === 0 ? null : reason));
  }
  if (!isBoundSession(request, target, tools, services)) return null;
  return planBound(...bindSubject(subjectFor(), services), services);
}

function bindSubject(
  subject: ConversationSubject,
  { catalog }: PlanServices,
): [subject: ConversationSubject, mode: BoundMode] {
  const mode = chooseBoundMode(subject.request, subject.target, catalog, subject.exchange.request.headers);
  const deferral = mode === 'deferred' ? boundDeferral(subject.request.outline, catalog) : undefined;
  const loadsTools = deferral?.loadsAt?.(subject.target) === true;
  return [{ ...subject, deferral, isBound: true, loadsTools }, mode];
}

/**
 * Plans a token-counting request. The tokens of the client's original request are counted, except in a conversation
 * with bound reasoning.
 */
export function planCount(
  request: ParsedRequest,
  target: Target,
  exchange: Exchange,
  caller: Caller,
  services: PlanServices,
): Promise<ToolPlan> {
  const { tools } = request.outline;
  const isPlanned =
    isBoundSession(request, target, tools, services) && findStoredState(request) === undefined;
  if (!isPlanned) {
    const eligible = tools.map((tool) => tool.index);
    return Promise.resolve(identityPlan(eligible, null));
  }
  const subject = subjectOf(request, target, tools, exchange, caller, services);
  return planBoundCount(...bindSubject(subject, services), services);
}

async function planFor(
  request: ParsedRequest,
  target: Target,
  subjectFor: () => ConversationSubject,
  exchange: Exchange,
  caller: Caller,
  services: PlanServices,
): Promise<ToolPlan> {
  const { tools } = request.outline;
  const eligible = tools.map((tool) => tool.index);
  const identity = identityPlan(eligible, null);
  if (tools.length === 0 && !mayCompressWithoutTools(caller)) return identity;
  if (isBudgetExhausted(caller, services)) return passUnoptimized(eligible, 'exhausted', exchange);
  const subject = tools.length === 0 ? null : subjectFor();
  if (isLarge(request.bytes)) await letOthersRun(exchange);
  const deadline = startDeadline(services.settings.planDeadlineMs, exchange.abort.signal);
  const { signal } = deadline;
  const [selected, schemas, context] = await Promise.allSettled([
    subject === null || caller.pruning.mode === 'off' ? null : services.conversations.plan(subject, signal),
    subject === null ? null : shortenSchemas(subject, caller, services, signal),
    planContext(request, target, exchange, caller, services, signal),
  ]);
  deadline.clear();
  const late: PlanReason = signal.aborted ? 'timeout' : 'unavailable';
  logFailures([selected, schemas, context], late, exchange, services);
  const withContext = { ...identity, context: valueOf(context) ?? identity.context };
  if (subject === null) return withContext;
  if (selected.status === 'rejected')
    return applySchemaEdits({ ...withContext, reason: late }, valueOf(schemas));
  const conversation = selected.value;
  const chosen = applyToolSet(withContext, conversation, caller, subject.deferral);
  if (conversation === null || (conversation.mayShortenSchemas && schemas.status === 'fulfilled'))
    return applySchemaEdits(chosen, valueOf(schemas));
  if (conversation.mayShortenSchemas) services.conversations.keepPlainSchemas(conversation.keys);
  return chosen;
}

async function shortenSchemas(
  subject: ConversationSubject,
  caller: Caller,
  { planner }: PlanServices,
  signal: AbortSignal,
): Promise<ReadonlyMap<number, SchemaEdits> | null> {
  const { mode } = caller.compression;
  if (mode === 'off') return null;
  if (isLarge(subject.request.bytes)) await letOthersRun(subject.exchange);
  return planner.compressSchemas(subject, caller, mode, signal);
}

function logFailures(
  results: readonly PromiseSettledResult<unknown>[],
  late: PlanReason,
  { requestId }: Exchange,
  { log }: PlanServices,
): void {
  for (const result of results) {
    if (result.status === 'rejected')
      log.warn({ err: result.reason as unknown, requestId }, `planning incomplete: ${late}`);
  }
}

function valueOf<Value>(settled: PromiseSettledResult<Value>): Value | null {
  return settled.status === 'fulfilled' ? settled.value : null;
}

function subjectOf(
  request: ParsedRequest,
  target: Target,
  tools: readonly ToolOutline[],
  exchange: Exchange,
  caller: Caller,
  services: PlanServices,
): ConversationSubject {
  return {
    format: formatNamed(exchange.format),
    tape: request.tape,
    tools,
    list: services.toolLists.hashesOf(request.bytes, tools),
    request,
    target,
    exchange,
    caller,
    deferral: chooseDeferral(request, target, caller, services.catalog, exchange.request.headers),
  };
}

function isBoundSession(
  request: ParsedRequest,
  target: Target,
  tools: readonly ToolOutline[],
  { catalog }: PlanServices,
): boolean {
  const model = catalog.find(target.provider.name, target.model);
  return tools.length > 0 && isReasoningBound(request, target, model);
}

/** Returns whether the account allows the compression of requests without tools. */
function mayCompressWithoutTools({ compression }: Caller): boolean {
  return compression.mode !== 'off' && compression.applyWithoutTools;
}

/**
 * Maps positions in the router's list to indexes in the client's list. In shadow mode, or for a shadow
 * conversation, the plan is recorded but not applied.
 */
function applyToolSet(
  identity: ToolPlan,
  conversation: ConversationPlan | null,
  caller: Caller,
  deferral: Deferral | undefined,
): ToolPlan {
  if (conversation === null) return { ...identity, reason: 'off' };
  const { reply, keys, requested } = conversation;
  const planned: ToolPlan = {
    ...identity,
    reply,
    conversation: keys,
    requested: requested.flatMap((at) => identity.eligible[at] ?? []),
  };
  if (caller.pruning.mode === 'shadow' || reply.isShadow) return { ...planned, reason: 'shadow' };
  const forwarded = reply.forwarded.flatMap((position) => identity.eligible[position] ?? []);
  // If every tool is forwarded, deferral has no effect.
  const isWhole = forwarded.length === identity.eligible.length;
  return { ...planned, reason: reply.kReason, forwarded, deferral: isWhole ? undefined : deferral };
}

function applySchemaEdits(planned: ToolPlan, byPosition: ReadonlyMap<number, SchemaEdits> | null): ToolPlan {
  if (byPosition === null || byPosition.size === 0) return planned;
  const sent = new Set(listSent(planned));
  const schemaEdits = new Map<number, SchemaEdits>();
  for (const [position, edits] of byPosition) {
    const index = planned.eligible[position];
    if (index !== undefined && sent.has(index)) schemaEdits.set(index, edits);
  }
  return { ...planned, schemaEdits };
}
