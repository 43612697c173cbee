import type { ConversationPlanRecord } from '@gateway/contracts';
import { failpoint } from '@gateway/observability';
import { startDeadline } from '../../../request/deadline.ts';
import {
  identityPlan,
  noContextEdits,
  type BoundPlan,
  type PlannedReply,
  type ToolPlan,
} from '../../exchange/tool-plan.ts';
import {
  applyRecord,
  chooseCompression,
  continueRecord,
  nameConversation,
  nameTurn,
  renderRecord,
  sentWhole,
  type ConversationNames,
} from './bound-record.ts';
import type { PinnedContext } from './context/context-planner.ts';
import { planPinnedContext } from './context/plan-context.ts';
import type { Wait } from './context/context-subject.ts';
import {
  anchor,
  findConversation,
  unplanned,
  type BoundServices,
  type FoundConversation,
} from './bound-turns.ts';
import type { BoundConversation } from './conversation/bound-plans.ts';
import { findWithdrawal, loadTools } from './load-tools.ts';
import type { ConversationSubject } from './conversation/conversation-planner.ts';
import type { BoundMode } from './deferral.ts';
import { isBudgetExhausted, passUnoptimized, spendBudget } from './spend-budget.ts';

/**
 * Plans a request with bound reasoning. The first request of the conversation decides the tool set and the
 * compression of new messages. The gateway stores the decision durably before it sends the request. Every later
 * request applies exactly the stored decision, because the provider rejects reasoning if the prompt before it has
 * changed. If the account changes its settings, the conversation keeps the earlier settings. Without a stored
 * decision, the whole request is sent unchanged. Tool definitions are never edited.
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

const listEligible = ({ tools }: ConversationSubject): number[] => tools.map(({ index }) => index);

/**
 * Plans the first request of a conversation. If the first request cannot be planned in time, every tool is sent.
 * The decision to send every tool is also stored, because later requests must have the same prefix. If the decision
 * cannot be stored, every tool is sent.
 */
async function decide(
  subject: ConversationSubject,
  mode: NonNullable<BoundMode>,
  names: ConversationNames,
  services: BoundServices,
): Promise<ToolPlan> {
  const proposal = await propose(subject, mode, services);
  const kept = await keepProposal(proposal, subject, names, services);
  if (kept === null) return proposal.unplanned ?? identityPlan(listEligible(subject), 'unavailable');
  if (kept.mode === 'whole' && proposal.unplanned !== undefined) return proposal.unplanned;
  const bound = firstRequest(subject, names, kept, services);
  return { ...applyRecord(kept, proposal.reply, subject), bound };
}

interface Proposal {
  readonly record: ConversationPlanRecord;
  readonly reply: PlannedReply | null;
  /** A plan that sends every tool and records why no tools are pruned. Absent if the router's plan is used. */
  readonly unplanned?: ToolPlan;
}

async function propose(
  subject: ConversationSubject,
  mode: NonNullable<BoundMode>,
  services: BoundServices,
): Promise<Proposal> {
  const { caller, exchange } = subject;
  const whole = { ...sentWhole, compression: chooseCompression(caller) };
  const unplannedAs = (plan: ToolPlan): Proposal => ({ record: whole, reply: null, unplanned: plan });
  if (caller.pruning.mode === 'off') return unplannedAs(identityPlan(listEligible(subject), 'off'));
  if (mode === 'whole') return unplannedAs(identityPlan(listEligible(subject), 'bound_thinking'));
  if (isBudgetExhausted(caller, services))
    return unplannedAs(passUnoptimized(listEligible(subject), 'exhausted', exchange));
  const reply = await askRouter(subject, services);
  if (typeof reply === 'string') return unplannedAs(identityPlan(listEligible(subject), reply));
  const record = renderRecord(reply, mode, subject);
  const planned = applyRecord(record, reply, subject);
  const spent = await spendBudget(planned, exchange, caller, services);
  return spent === planned ? { record, reply } : unplannedAs(spent);
}

/**
 * Stores the decision about tools and compression. Returns the stored decision, because another request with the
 * same first messages may have stored a decision first. Returns null if the store failed. Every tool is then sent, and
 * the store is corrected, because the failed call may still store the decision.
 */
async function keepProposal(
  { record }: Proposal,
  { caller: { accountId }, exchange: { requestId } }: ConversationSubject,
  { here, opening }: ConversationNames,
  { boundPlans: { memo, store }, log }: BoundServices,
): Promise<ConversationPlanRecord | null> {
  try {
    FAILPOINT: failpoint('plan-store');
    const plan = await store.keep(accountId, opening, record);
    memo.keep(accountId, here, { ...unplanned, plan });
    return plan;
  } catch (error) {
    memo.keep(accountId, here, { ...unplanned, plan: sentWhole });
    store.correct(accountId, opening, sentWhole);
    log.warn({ err: error, requestId }, 'failed to store the conversation plan, sending all tools');
    return null;
  }
}

/**
 * Returns the plan of a first request with bound reasoning. A first request contains no reasoning that the
 * provider could reject, because there is no earlier response.
 */
function firstRequest(
  { caller: { accountId } }: ConversationSubject,
  { here, opening }: ConversationNames,
  { compression }: ConversationPlanRecord,
  { boundPlans: { memo, store } }: BoundServices,
): BoundPlan {
  return {
    ...{ mayBeOurs: false, dropsBlocks: false, remember: () => undefined },
    abandon: async () => {
      const plan = { ...sentWhole, compression };
      memo.keep(accountId, here, { ...unplanned, plan });
      await store.replace(accountId, opening, plan);
    },
  };
}

/**
 * Requests a plan from the tool router. Returns the reason for a missing plan if the router is late or fails.
 */
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
 * Applies the stored decision to a later request. The router still ranks the tools, so that the recall of the
 * stored decision can be logged.
 */
async function carryOn(
  subject: ConversationSubject,
  names: ConversationNames & { readonly before: string },
  services: BoundServices,
): Promise<ToolPlan> {
  const { caller, exchange } = subject;
  const { memo } = services.boundPlans;
  const found = await findConversation(subject, names, services);
  const { known: before, isSure, wait } = found;
  // An earlier attempt of the same request may have stored the tools that this turn loads.
  const isStored = (memo.peek(names.here)?.plan ?? null) !== null;
  if (isSure && !isStored) memo.keep(caller.accountId, names.here, before);
  anchor(subject, names, before, services);
  const isRanked = before.plan !== null && (before.plan.mode !== 'whole' || before.plan.isShadow);
  const [ranked, compressed] = await Promise.all([
    isRanked ? askRouter(subject, services) : 'unavailable',
    compress(subject, before, wait, services, true),
  ]);
  const reply = typeof ranked === 'string' ? null : ranked;
  const known = isSure ? await loadTools(subject, names, before, reply, services) : before;
  const applied = applyRecord(known.plan, reply, subject);
  const planned = { ...continueRecord(applied, known.plan), context: compressed.context };
  // An exhausted token budget never changes the plan, because the provider would reject a changed prefix.
  await spendBudget(planned, exchange, caller, services);
  const bound = { known, isSure: isSure && compressed.isSure };
  return withBound(planned, bound, subject, names, services, findWithdrawal(known, before));
}

/**
 * Compresses the messages of a later request with the settings in the conversation's plan.
 * @param decides whether messages that are not compressed in time are recorded as unchanged for all later turns
 */
async function compress(
  { request, target, exchange, caller }: ConversationSubject,
  { plan, dropsBlocks }: BoundConversation,
  wait: Wait,
  services: BoundServices,
  decides: boolean,
): Promise<PinnedContext> {
  const pinned = plan?.compression ?? null;
  if (pinned === null) return { context: noContextEdits, isSure: true };
  const { store } = services.boundPlans;
  const { accountId } = caller;
  const turns = {
    find: (lost: readonly string[], until: AbortSignal) => store.findUnchangedTurns(accountId, lost, until),
    wait: dropsBlocks ? undefined : wait,
    ...(decides ? { keep: (name: string) => store.keepUnchangedTurn(accountId, name) } : {}),
  };
  const deadline = startDeadline(services.settings.planDeadlineMs, exchange.abort.signal);
  const began = { ...pinned, turns };
  const planning = planPinnedContext(request, target, exchange, caller, began, services, deadline.signal);
  return planning.finally(() => deadline.clear());
}

/**
 * Plans a token-counting request. The tokens of the planned request are counted, because the provider also checks
 * reasoning signatures in token-counting requests. The function neither chooses nor stores a tool set.
 */
export async function planBoundCount(
  subject: ConversationSubject,
  mode: BoundMode,
  services: BoundServices,
): Promise<ToolPlan> {
  const names = nameConversation(subject);
  const { before } = names;
  if (mode === null || before === null) return identityPlan(listEligible(subject), null);
  const { known, isSure, wait } = await findConversation(subject, { ...names, before }, services);
  const compressed = await compress(subject, known, wait, services, false);
  const planned = { ...applyRecord(known.plan, null, subject), context: compressed.context };
  return withBound(planned, { known, isSure: isSure && compressed.isSure }, subject, names, services);
}

function withBound(
  planned: ToolPlan,
  { known, isSure }: Pick<FoundConversation, 'known' | 'isSure'>,
  { caller: { accountId }, exchange }: ConversationSubject,
  { here }: ConversationNames,
  { boundPlans: { memo, store } }: BoundServices,
  withdrawal: ConversationPlanRecord | null = null,
): ToolPlan {
  const isReduced = planned.forwarded.length < planned.eligible.length || planned.context.edits.length > 0;
  return {
    ...planned,
    bound: {
      mayBeOurs: !isSure || isReduced || exchange.toolGuard?.isRestricted === true,
      dropsBlocks: known.dropsBlocks,
      remember: () => memo.keep(accountId, here, { ...(memo.peek(here) ?? known), dropsBlocks: true }),
      ...(withdrawal === null
        ? {}
        : {
            withdraw: async () => {
              memo.keep(accountId, here, { ...(memo.peek(here) ?? known), plan: withdrawal });
              await store.replace(accountId, nameTurn(here), withdrawal);
            },
          }),
    },
  };
}
