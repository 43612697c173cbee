import type { ConversationPlanRecord } from '@gateway/contracts';
import type { Logger } from '@gateway/observability';
import { hash } from 'node:crypto';
import type { SavedTokenBudgets } from '../../../budgets/saved-token-budgets.ts';
import { deriveKey } from '../../../request/conversation.ts';
import { startDeadline } from '../../../request/deadline.ts';
import type { PipelineSettings } from '../../../request/settings.ts';
import { identityPlan, type BoundPlan, type PlannedReply, type ToolPlan } from '../../exchange/tool-plan.ts';
import { applyRecord, continueRecord, renderRecord, sentWhole } from './bound-record.ts';
import type { BoundConversation, BoundPlanMemo, BoundPlanStore } from './conversation/bound-plans.ts';
import type { ConversationPlanner, ConversationSubject } from './conversation/conversation-planner.ts';
import { isClientDeferred, type BoundMode } from './deferral.ts';
import { isBudgetExhausted, passUnoptimized, spendBudget } from './spend-budget.ts';

export interface BoundServices {
  readonly budgets: SavedTokenBudgets;
  readonly conversations: Pick<ConversationPlanner, 'plan'>;
  readonly boundPlans: { readonly store: BoundPlanStore; readonly memo: BoundPlanMemo };
  readonly settings: Pick<PipelineSettings, 'planDeadlineMs'>;
  readonly log: Logger;
}

/**
 * Plans a request with reasoning that is bound to its prefix. The first request of the conversation decides
 * the tool set. The decision is stored durably before the request is sent, and every later request applies
 * exactly this decision. The current policy, settings and router are ignored in later requests, because the
 * provider rejects reasoning behind a changed tool set. Without a stored decision, every tool is sent
 * unchanged. Definitions and messages are never changed.
 */
export async function planBound(
  subject: ConversationSubject,
  mode: BoundMode,
  services: BoundServices,
): Promise<ToolPlan> {
  const names = nameConversation(subject);
  if (mode === null) return identityPlan(listEligible(subject), 'bound_thinking');
  return names.before === null
    ? decide(subject, mode, names, services)
    : carryOn(subject, { ...names, before: names.before }, services);
}

interface ConversationNames {
  /**
   * Names in the memo: one for the transcript up to this request, and one for the transcript up to the
   * previous request.
   */
  readonly here: string;
  readonly before: string | null;
  /**
   * Names in the durable store: one for the messages before the first response, and one for the messages up
   * to the end of the first response.
   */
  readonly opening: string;
  readonly firstTurn: string | null;
}

/**
 * Names the conversation by its first messages and the names of its tools. The order of the tools is ignored.
 * Tools that the client defers are also ignored, because a client may add such tools at any time.
 */
function nameConversation({ request, caller, tools }: ConversationSubject): ConversationNames {
  const { conversation, tape } = request;
  const listed = tools.filter((tool) => !isClientDeferred(tape, tool)).map(({ name }) => name ?? '');
  const owner = `${caller.accountId}\n${hash('sha256', JSON.stringify(listed.sort()))}`;
  const { here, before, opening, firstTurn } = conversation;
  return {
    here: deriveKey(owner, here),
    before: before === null ? null : deriveKey(owner, before),
    opening: deriveKey(`${owner}\nopening`, opening),
    firstTurn: firstTurn === null ? null : deriveKey(`${owner}\nfirst turn`, firstTurn),
  };
}

const listEligible = ({ tools }: ConversationSubject): number[] => tools.map(({ index }) => index);

const unplanned: BoundConversation = { plan: null, isAnchored: false, dropsBlocks: false };
/**
 * Plans the first request. If the request cannot be planned in time, every tool is sent. This decision is
 * stored too, because requests that begin alike must be sent alike. If the decision cannot be stored, every
 * tool is sent.
 */
async function decide(
  subject: ConversationSubject,
  mode: NonNullable<BoundMode>,
  names: ConversationNames,
  services: BoundServices,
): Promise<ToolPlan> {
  const { caller } = subject;
  const { memo } = services.boundPlans;
  if (caller.pruning.mode === 'off') {
    const known = (await memo.find(caller.accountId, names.here)) ?? unplanned;
    memo.keep(caller.accountId, names.here, known);
    return applyRecord(known.plan, null, subject);
  }
  const proposal = await propose(subject, mode, services);
  const kept = await keepProposal(proposal, subject, names, services);
  if (kept === null) return identityPlan(listEligible(subject), 'unavailable');
  if (kept.mode === 'whole' && proposal.unplanned !== undefined) return proposal.unplanned;
  return { ...applyRecord(kept, proposal.reply, subject), bound: firstRequest(subject, names, services) };
}

interface Proposal {
  readonly record: ConversationPlanRecord;
  readonly reply: PlannedReply | null;
  /** The plan of a request that could not be planned. */
  readonly unplanned?: ToolPlan;
}

async function propose(
  subject: ConversationSubject,
  mode: NonNullable<BoundMode>,
  services: BoundServices,
): Promise<Proposal> {
  const { caller, exchange } = subject;
  const unplannedAs = (plan: ToolPlan): Proposal => ({ record: sentWhole, reply: null, unplanned: plan });
  if (isBudgetExhausted(caller, services))
    return unplannedAs(passUnoptimized(listEligible(subject), 'exhausted', exchange));
  const reply = await askRouter(subject, services);
  if (typeof reply === 'string') return unplannedAs(identityPlan(listEligible(subject), reply));
  const record = renderRecord(reply, mode, subject.tools);
  const planned = applyRecord(record, reply, subject);
  const spent = await spendBudget(planned, exchange, caller, services);
  return spent === planned ? { record, reply } : unplannedAs(spent);
}

/**
 * Stores the record. Returns the stored record, because a request that began alike may have stored one first.
 * Returns null if the store failed.
 */
async function keepProposal(
  { record }: Proposal,
  { caller: { accountId }, exchange: { requestId } }: ConversationSubject,
  { here, opening }: ConversationNames,
  { boundPlans: { memo, store }, log }: BoundServices,
): Promise<ConversationPlanRecord | null> {
  try {
    const plan = await store.keep(accountId, opening, record);
    memo.keep(accountId, here, { ...unplanned, plan });
    return plan;
  } catch (error) {
    memo.keep(accountId, here, { ...unplanned, plan: sentWhole });
    log.warn({ err: error, requestId }, 'plan of a bound conversation not stored, sending all tools');
    return null;
  }
}

/**
 * Returns the bound plan of a first request. The provider cannot reject reasoning in a first request, because
 * no reasoning comes before the first response.
 */
function firstRequest(
  { caller: { accountId } }: ConversationSubject,
  { here, opening }: ConversationNames,
  { boundPlans: { memo, store } }: BoundServices,
): BoundPlan {
  return {
    ...{ mayBeOurs: false, dropsBlocks: false, remember: () => undefined },
    abandon: async () => {
      memo.keep(accountId, here, { ...unplanned, plan: sentWhole });
      await store.replace(accountId, opening, sentWhole);
    },
  };
}

/** Requests a plan from the router. Returns the reason if the router is late or fails. */
async function askRouter(
  subject: ConversationSubject,
  { conversations, settings, log }: BoundServices,
): Promise<PlannedReply | 'timeout' | 'unavailable'> {
  const { exchange } = subject;
  const deadline = startDeadline(settings.planDeadlineMs, exchange.abort.signal);
  try {
    return (await conversations.plan(subject, deadline.signal)).reply;
  } catch (error) {
    const late = deadline.signal.aborted ? 'timeout' : 'unavailable';
    log.warn({ err: error, requestId: exchange.requestId }, `planning incomplete: ${late}`);
    return late;
  } finally {
    deadline.clear();
  }
}

/**
 * Applies the stored decision to a later request. The router's ranking is only logged, to measure the recall
 * of the decision.
 */
async function carryOn(
  subject: ConversationSubject,
  names: ConversationNames & { readonly before: string },
  services: BoundServices,
): Promise<ToolPlan> {
  const { caller, exchange } = subject;
  const { memo } = services.boundPlans;
  const { known, isSure } = await findConversation(subject, names, services);
  if (isSure) memo.keep(caller.accountId, names.here, known);
  anchor(subject, names, known, services);
  const isRanked = known.plan !== null && (known.plan.mode !== 'whole' || known.plan.isShadow);
  const ranked = isRanked ? await askRouter(subject, services) : 'unavailable';
  const planned = continueRecord(
    applyRecord(known.plan, typeof ranked === 'string' ? null : ranked, subject),
    known.plan,
  );
  // An exhausted budget can only reject the request or be reported, because the provider would reject a
  // changed tool set.
  await spendBudget(planned, exchange, caller, services);
  return withBound(planned, { known, isSure }, subject, names, services);
}

/**
 * Plans the counting of a request's tokens. The request is counted in the form in which it would be sent,
 * because the provider checks signatures in counting requests too. Nothing is decided or stored.
 */
export async function planBoundCount(
  subject: ConversationSubject,
  mode: BoundMode,
  services: BoundServices,
): Promise<ToolPlan> {
  const names = nameConversation(subject);
  const { before } = names;
  if (mode === null || before === null) return identityPlan(listEligible(subject), null);
  const found = await findConversation(subject, { ...names, before }, services);
  return withBound(applyRecord(found.known.plan, null, subject), found, subject, names, services);
}

interface FoundConversation {
  readonly known: BoundConversation;
  /** False if the store could not be read. The conversation may then have a plan that is unknown. */
  readonly isSure: boolean;
}

function withBound(
  planned: ToolPlan,
  { known, isSure }: FoundConversation,
  { caller: { accountId }, exchange }: ConversationSubject,
  { here }: ConversationNames,
  { boundPlans: { memo } }: BoundServices,
): ToolPlan {
  const isReduced = planned.forwarded.length < planned.eligible.length;
  return {
    ...planned,
    bound: {
      mayBeOurs: !isSure || isReduced || exchange.toolGuard?.isRestricted === true,
      dropsBlocks: known.dropsBlocks,
      remember: () => memo.keep(accountId, here, { ...(memo.peek(here) ?? known), dropsBlocks: true }),
    },
  };
}

async function findConversation(
  { caller: { accountId }, exchange: { requestId } }: ConversationSubject,
  { before, firstTurn, opening }: ConversationNames & { readonly before: string },
  { boundPlans: { memo, store }, log }: BoundServices,
): Promise<FoundConversation> {
  const remembered = await memo.find(accountId, before);
  if (remembered !== undefined) return { known: remembered, isSure: true };
  try {
    const plan = await store.find(accountId, firstTurn === null ? [opening] : [firstTurn, opening]);
    return { known: { ...unplanned, plan }, isSure: true };
  } catch (error) {
    log.warn({ err: error, requestId }, 'plan of a bound conversation not found, sending all tools');
    return { known: unplanned, isSure: false };
  }
}

/**
 * Stores the plan under the name of the first response as well. Conversations that begin alike share the name
 * of the opening, and a later conversation may replace the plan under that name.
 */
function anchor(
  { caller: { accountId } }: ConversationSubject,
  { here, firstTurn }: ConversationNames,
  known: BoundConversation,
  { boundPlans: { memo, store }, log }: BoundServices,
): void {
  if (known.plan === null || known.isAnchored || firstTurn === null) return;
  store.keep(accountId, firstTurn, known.plan).then(
    // The provider may have rejected the request in the meantime, so the memo is read again for
    // `dropsBlocks`.
    () => memo.keep(accountId, here, { ...(memo.peek(here) ?? known), isAnchored: true }),
    (error: unknown) => log.debug({ err: error }, 'plan of a bound conversation not anchored'),
  );
}
