import {
  contextStepsVersion,
  conversationAdditionsMax,
  conversationPlanBytesMax,
  type ConversationPlanRecord,
} from '@gateway/contracts';
import type { PlanReason } from '@gateway/interchange';
import { hash } from 'node:crypto';
import { deriveKey } from '../../../request/conversation.ts';
import type { Caller } from '../../../request/request.ts';
import { identityPlan, type Deferral, type PlannedReply, type ToolPlan } from '../../exchange/tool-plan.ts';
import type { ConversationSubject } from './conversation/conversation-planner.ts';
import { isClientDeferred } from './deferral.ts';

export interface ConversationNames {
  /**
   * Two keys of the conversation cache. The key `here` covers the transcript up to this request, and `before`
   * covers the transcript up to the previous request.
   */
  readonly here: string;
  readonly before: string | null;
  /**
   * The two names of a conversation's plan in the durable store. The first name is derived from the messages before
   * the first response. The second name also covers the first response.
   */
  readonly opening: string;
  readonly firstTurn: string | null;
  /** Lists the cache keys of the transcripts up to each answered user turn, newest first. */
  readonly answeredTurns: () => string[];
}

/**
 * Returns a name for the conversation, derived from its first messages and the names of its tools. The name of a
 * conversation does not depend on the order of the tools. Tools that the client defers do not affect the name,
 * because a client may add such tools at any time.
 */
export function nameConversation({ request, caller, tools }: ConversationSubject): ConversationNames {
  const { conversation, tape } = request;
  const listed = tools.filter((tool) => !isClientDeferred(tape, tool)).map(({ name }) => name ?? '');
  const owner = `${caller.accountId}\n${hash('sha256', JSON.stringify(listed.sort()))}`;
  const { here, before, opening, firstTurn } = conversation;
  return {
    here: deriveKey(owner, here),
    before: before === null ? null : deriveKey(owner, before),
    opening: deriveKey(`${owner}\nopening`, opening),
    firstTurn: firstTurn === null ? null : deriveKey(`${owner}\nfirst turn`, firstTurn),
    answeredTurns: () =>
      conversation.answeredTurns.slice(0, conversationAdditionsMax).map((digest) => deriveKey(owner, digest)),
  };
}

/**
 * Returns the name under which the plan of a turn is stored durably.
 * @param here the cache key of the transcript up to the turn
 */
export function nameTurn(here: string): string {
  return deriveKey('turn', here);
}

/** The stored decision for a conversation that started without a plan. */
export const sentWhole: ConversationPlanRecord = {
  mode: 'whole',
  tools: [],
  policyVersion: 'unplanned',
  isShadow: false,
  compression: null,
  additions: [],
  mayLoad: true,
};

/** Returns the compression settings for a new conversation, or null if compression is off. */
export function chooseCompression({ compression: { mode } }: Caller): ConversationPlanRecord['compression'] {
  return mode === 'off' ? null : { mode, version: contextStepsVersion };
}

/**
 * Renders the stored decision as a plan. The decision contains every tool if the plan prunes no tool or is too long
 * to be stored.
 */
export function renderRecord(
  { forwarded, isShadow, policyVersion }: PlannedReply,
  mode: ConversationPlanRecord['mode'],
  { tools, caller }: Pick<ConversationSubject, 'tools' | 'caller'>,
): ConversationPlanRecord {
  const compression = chooseCompression(caller);
  const whole = { ...sentWhole, policyVersion, isShadow, compression };
  const names = forwarded.flatMap((position) => tools[position]?.name ?? []);
  if (isShadow || names.length === 0 || forwarded.length === tools.length) return whole;
  const record: ConversationPlanRecord = { ...whole, mode, tools: [...new Set(names)] };
  return JSON.stringify(record).length > conversationPlanBytesMax ? whole : record;
}

/**
 * Applies the stored decision of a conversation with bound reasoning.
 * @param reply the router's reply, for the log. Null if the request was not ranked, or if the router replied
 * too late.
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
  return record.mode === 'deferred'
    ? { ...planned, deferral: withAdditions(record, tools, deferral) }
    : planned;
}

/** Adds the tools that were loaded after user turns. Leaves out loaded tools that the client no longer sends. */
function withAdditions(
  { additions }: ConversationPlanRecord,
  tools: ConversationSubject['tools'],
  deferral: Deferral | undefined,
): Deferral | undefined {
  if (deferral === undefined || additions.every(({ tools: names }) => names.length === 0)) return deferral;
  const indexes = new Map(tools.map(({ name, index }) => [name, index]));
  const listed = additions.map(({ after, tools: names }) => ({
    after,
    tools: names.flatMap((name) => indexes.get(name) ?? []),
  }));
  return { ...deferral, additions: listed };
}

/**
 * Returns the plan of a later request. The log of a later request shows the stored decision instead of the
 * router's current decision.
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
