import { conversationPlanBytesMax, type ConversationPlanRecord } from '@gateway/contracts';
import type { PlanReason, ToolOutline } from '@gateway/interchange';
import { identityPlan, type PlannedReply, type ToolPlan } from '../../exchange/tool-plan.ts';
import type { ConversationSubject } from './conversation/conversation-planner.ts';
import type { BoundMode } from './deferral.ts';

/** The record of a conversation that started without a plan. */
export const sentWhole: ConversationPlanRecord = {
  mode: 'whole',
  tools: [],
  policyVersion: 'unplanned',
  isShadow: false,
};

/**
 * Renders the record of a plan. If the plan leaves out no tool, or the record is too long to be stored, the
 * record contains every tool.
 */
export function renderRecord(
  { forwarded, isShadow, policyVersion }: PlannedReply,
  mode: NonNullable<BoundMode>,
  tools: readonly ToolOutline[],
): ConversationPlanRecord {
  const whole = { ...sentWhole, policyVersion, isShadow };
  const names = forwarded.flatMap((position) => tools[position]?.name ?? []);
  if (isShadow || names.length === 0 || forwarded.length === tools.length) return whole;
  const record: ConversationPlanRecord = { mode, tools: [...new Set(names)], policyVersion, isShadow };
  return JSON.stringify(record).length > conversationPlanBytesMax ? whole : record;
}

/**
 * Applies the stored decision of a bound conversation.
 * @param reply the router's reply for the log. Null if the request was not ranked, or the router did not
 * reply in time.
 */
export function applyRecord(
  record: ConversationPlanRecord | null,
  reply: PlannedReply | null,
  { tools, deferral }: ConversationSubject,
): ToolPlan {
  const identity = identityPlan(
    tools.map(({ index }) => index),
    'bound_thinking',
  );
  if (record === null) return identity;
  const reason: PlanReason = record.isShadow ? 'shadow' : (reply?.kReason ?? 'frozen');
  if (record.mode === 'whole' || (record.mode === 'deferred' && deferral === undefined)) {
    const isDecided = reply !== null && (record.isShadow || reply.forwarded.length === tools.length);
    return { ...identity, reply, reason: isDecided ? reason : 'bound_thinking' };
  }
  const named = new Set(record.tools);
  const forwarded = tools.filter(({ name, builtIn }) => builtIn || name === undefined || named.has(name));
  const planned = { ...identity, forwarded: forwarded.map(({ index }) => index), reply, reason };
  return record.mode === 'deferred' ? { ...planned, deferral } : planned;
}

/**
 * Returns the plan of a later request. Its log shows the stored decision instead of the router's current
 * decision.
 */
export function continueRecord(planned: ToolPlan, record: ConversationPlanRecord | null): ToolPlan {
  const { reply, forwarded, eligible } = planned;
  if (record === null || record.mode === 'whole' || forwarded.length === eligible.length) return planned;
  if (reply === null) return planned;
  const alwaysIn = new Set(
    reply.candidates.flatMap(({ position, alwaysIn: why }) => (why ? [position] : [])),
  );
  const k = forwarded.filter((index) => !alwaysIn.has(index)).length;
  return { ...planned, reason: 'frozen', reply: { ...reply, k, policyVersion: record.policyVersion } };
}
