import {
  conversationAdditionsMax,
  conversationPlanBytesMax,
  type ConversationPlanRecord,
} from '@gateway/contracts';
import { formatNamed } from '@gateway/wire-formats';
import { isUserTurn } from '../../../request/conversation.ts';
import type { PlannedReply } from '../../exchange/tool-plan.ts';
import { nameTurn, type ConversationNames } from './bound-record.ts';
import type { BoundServices } from './bound-turns.ts';
import type { BoundConversation } from './conversation/bound-plans.ts';
import type { ConversationSubject } from './conversation/conversation-planner.ts';
import { isBudgetExhausted } from './spend-budget.ts';

/**
 * Loads the deferred tools that match a new user turn. A message after the user's message loads the tools, so the
 * prompt's prefix does not change. Every later request must contain the message that loads the tools. The decision
 * about loaded tools is stored durably before the request is sent, even if the turn loads no tools. A repeated
 * request loads the same tools. If the decision cannot be stored, the turn loads no tools.
 */
export async function loadTools(
  subject: ConversationSubject,
  { here }: ConversationNames,
  known: BoundConversation,
  reply: PlannedReply | null,
  services: BoundServices,
): Promise<BoundConversation> {
  const { plan } = known;
  const { caller, exchange, request } = subject;
  const { memo, store } = services.boundPlans;
  const after = request.outline.messages.length - 1;
  const repeated = memo.peek(here);
  if (repeated?.plan?.additions.at(-1)?.after === after) return repeated;
  if (plan === null || !mayLoad(subject, plan, services)) return known;
  const tools = listNewTools(subject, plan, reply);
  const record = { ...plan, additions: [...plan.additions, { after, tools }] };
  if (JSON.stringify(record).length > conversationPlanBytesMax) return known;
  try {
    const kept = await store.keep(caller.accountId, nameTurn(here), record);
    const loaded = { ...(memo.peek(here) ?? known), plan: kept };
    memo.keep(caller.accountId, here, loaded);
    return loaded;
  } catch (error) {
    const { requestId } = exchange;
    services.log.warn({ err: error, requestId }, 'tools of a turn not stored, loading no tools');
    // The failed call may still store the tools. Later requests must not load tools that this request does not load.
    const unloaded = { ...plan, additions: [...plan.additions, { after, tools: [] }] };
    store.correct(caller.accountId, nameTurn(here), unloaded);
    return known;
  }
}

/** The type of a message part by which a client adds or removes tools itself. */
const ownChange = 'tool_addition';

/** Returns whether the newest message is a user turn that may load tools. */
function mayLoad(
  { request: { outline, tape }, caller, loadsTools = false }: ConversationSubject,
  { mode, mayLoad: isAccepted, additions }: ConversationPlanRecord,
  services: BoundServices,
): boolean {
  const newest = outline.messages.at(-1);
  const choice = outline.toolChoice.mode;
  return (
    mode === 'deferred' &&
    loadsTools &&
    isAccepted &&
    additions.length < conversationAdditionsMax &&
    newest !== undefined &&
    isUserTurn(newest) &&
    (choice === 'unset' || choice === 'auto') &&
    caller.pruning.mode === 'on' &&
    !tape.hasString([ownChange]) &&
    !isBudgetExhausted(caller, services)
  );
}

/**
 * Lists tools that the router's newest plan contains and the conversation does not contain yet. A plan with another
 * policy version could contain many more tools, so only plans with the first request's version are used.
 */
function listNewTools(
  { tools, request: { outline, tape } }: ConversationSubject,
  plan: ConversationPlanRecord,
  reply: PlannedReply | null,
): string[] {
  if (reply?.policyVersion !== plan.policyVersion) return [];
  const found = formatNamed(outline.format).client.listFoundTools?.(tape) ?? [];
  const loaded = plan.additions.flatMap(({ tools: names }) => names);
  const shown = new Set([...plan.tools, ...loaded, ...found]);
  const names = reply.forwarded.flatMap((position) => {
    const { name, builtIn = true } = tools[position] ?? {};
    return name === undefined || builtIn || shown.has(name) ? [] : [name];
  });
  return [...new Set(names)];
}

/**
 * Returns the plan to store after the provider rejected a message that loads tools. Returns null if this request has
 * no message that loads tools, or if an earlier request already had one.
 */
export function findWithdrawal(
  { plan }: BoundConversation,
  before: BoundConversation,
): ConversationPlanRecord | null {
  const loads = (record: ConversationPlanRecord | null): boolean =>
    record?.additions.some(({ tools }) => tools.length > 0) === true;
  if (plan === null || !loads(plan) || loads(before.plan)) return null;
  return { ...plan, additions: plan.additions.map(({ after }) => ({ after, tools: [] })), mayLoad: false };
}
