import type { PlanReason, RequestOutline } from '@gateway/interchange';
import { formatNamed } from '@gateway/wire-formats';
import type { Caller, ParsedRequest } from '../../../request/request.ts';
import type { Exchange } from '../../exchange/exchange.ts';
import { buildRecovery, type RecoveryInput, acceptsRecoveryTool } from '../../recovery/build-recovery.ts';
import type { Recovery } from '../../recovery/recovery.ts';
import type { ToolPlan } from '../../exchange/tool-plan.ts';
import { turnsReasoningOn } from '../../../request/request-facts.ts';
import { permissionOf } from '../../../tool-lists/tool-permission.ts';
import { startDeadline } from '../../../request/deadline.ts';
import type { Planner, PlanSubject } from './router/planner.port.ts';

export interface RecoverySubject {
  readonly request: ParsedRequest;
  readonly subject: () => PlanSubject;
  readonly exchange: Exchange;
  readonly caller: Caller;
  readonly planner: Planner;
  readonly deadlineMs: number;
}

/**
 * Adds recovery to a plan that prunes tools or removes recallable text from the conversation. If the recovery tool
 * is as long as the pruned definitions, every tool is sent, because pruning would save nothing. If the API key
 * overrides K (the number of ranked tools), tools are pruned nevertheless. Without the recovery tool, all tools with
 * calls in the transcript are forwarded, because the request must define them. If a request in a conversation with
 * recovery cannot carry the recovery tool, every tool is sent. Without recovery, the pruned tool set would fall
 * below the recall target.
 */
export function armRecovery(planned: ToolPlan, subject: RecoverySubject): ToolPlan {
  const { reply, context } = planned;
  const isPruned = planned.forwarded.length < planned.eligible.length;
  // Deferred tools need no recovery, because the provider's own search finds deferred tools.
  // Tools outside a restricted `tool_choice` need no recovery, because their definitions are in the prompt.
  const isUnreachable = isPruned && planned.deferral === undefined;
  const isArmed = isUnreachable && reply?.recovery.armed === true;
  const isReachable = isArmed && acceptsRecoveryTool(subject.request);
  if (isArmed && !isReachable) return withEveryTool(planned, 'uncertain');
  if (!isPruned && context.recall === null) return planned;
  const recovery = isReachable ? buildRecovery(describeRecovery(planned, subject, true)) : null;
  if (recovery !== null && savesBytes(recovery, subject.request.outline, planned))
    return { ...planned, recovery };
  const isUseless = recovery !== null && planned.reason !== 'override';
  const whole = isUseless
    ? withEveryTool(planned, 'net_negative')
    : withCalledTools(planned, subject.request);
  const mayRecall = context.recall !== null && acceptsRecoveryTool(subject.request);
  return mayRecall ? { ...whole, recovery: buildRecovery(describeRecovery(whole, subject, false)) } : whole;
}

function describeRecovery(planned: ToolPlan, subject: RecoverySubject, reachesTools: boolean): RecoveryInput {
  const { request, exchange, caller } = subject;
  const permission = permissionOf(caller);
  return {
    mode: planned.reply?.recovery.way ?? 'in_place',
    recall: planned.context.recall,
    // A model turn that the gateway adds to the transcript has no reasoning.
    // If reasoning is turned on, the provider rejects a model turn that has no reasoning.
    requested: turnsReasoningOn(request.tape) ? [] : (planned.requested?.slice(0, requestedMax) ?? []),
    format: formatNamed(exchange.format),
    tape: request.tape,
    outline: request.outline,
    eligible: planned.eligible,
    forwarded: planned.forwarded,
    reachesTools,
    ...(permission === null ? {} : { permits: (name: string) => permission.permits(name) }),
    rank: (need) => rankFor(need, planned, subject),
  };
}

/**
 * Returns the router's ranking of all tools for the model's description of the needed tool. The router receives the
 * description as a user turn.
 */
async function rankFor(
  need: string,
  { eligible }: ToolPlan,
  { subject, exchange, caller, planner, deadlineMs }: RecoverySubject,
): Promise<readonly number[]> {
  const deadline = startDeadline(deadlineMs, exchange.abort.signal);
  const question = {
    accountId: caller.accountId,
    requestId: exchange.requestId,
    userTurns: [need.slice(0, needCharactersMax)],
    calledTools: [],
    recentResults: [],
    forcedTools: [],
    pinned: [],
    kOverride: null,
    recallTarget: caller.pruning.recallTarget,
  };
  try {
    const { candidates } = await planner.selectTools(subject(), question, deadline.signal);
    return candidates.flatMap(({ position }) => eligible[position] ?? []);
  } finally {
    deadline.clear();
  }
}

const needCharactersMax = 1_000;
/** Maximum number of requested tools that the gateway adds to the request when a turn starts. */
const requestedMax = 8;

/**
 * Returns whether the recovery tool is shorter than the definitions that it replaces. Both lengths stay constant
 * as long as the tool set does not change, so all requests of a conversation get the same result.
 */
function savesBytes(
  recovery: Recovery,
  { tools }: RequestOutline,
  { eligible, forwarded }: ToolPlan,
): boolean {
  const sent = new Set(forwarded);
  const saved = eligible.reduce((sum, index) => {
    const range = sent.has(index) ? undefined : tools[index]?.range;
    return range === undefined ? sum : sum + range.end - range.start;
  }, 0);
  return Buffer.byteLength(JSON.stringify(recovery.recoveryTool)) < saved;
}

function withEveryTool(planned: ToolPlan, reason: PlanReason): ToolPlan {
  const { reply, eligible } = planned;
  const recovery = { armed: false, way: 'in_place' } as const;
  return {
    ...planned,
    forwarded: eligible,
    reason,
    reply: reply === null ? null : { ...reply, k: null, recovery },
  };
}

/** Adds the tools with calls in the transcript. With deferral, `loadCalledTools` has already added them. */
function withCalledTools(planned: ToolPlan, { outline: { tools, messages } }: ParsedRequest): ToolPlan {
  if (planned.deferral !== undefined) return planned;
  const called = new Set(messages.flatMap(({ toolCalls }) => toolCalls.map(({ name }) => name)));
  const sent = new Set(planned.forwarded);
  const forwarded = planned.eligible.filter((index) => {
    const name = tools[index]?.name;
    return sent.has(index) || (name !== undefined && called.has(name));
  });
  return { ...planned, forwarded };
}
