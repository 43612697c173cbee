import type { ModelCatalog } from '@gateway/model-catalog';
import type { Logger } from '@gateway/observability';
import type { SavedTokenBudgets } from '../../../budgets/saved-token-budgets.ts';
import type { PipelineSettings } from '../../../request/settings.ts';
import { nameTurn, type ConversationNames } from './bound-record.ts';
import type { ContextPlanner } from './context/context-planner.ts';
import type { Wait } from './context/context-subject.ts';
import type { BoundConversation, BoundPlans } from './conversation/bound-plans.ts';
import type { ConversationPlanner, ConversationSubject } from './conversation/conversation-planner.ts';

export interface BoundServices {
  readonly budgets: SavedTokenBudgets;
  readonly conversations: Pick<ConversationPlanner, 'plan'>;
  readonly boundPlans: BoundPlans;
  readonly context: Pick<ContextPlanner, 'planPinned'>;
  readonly catalog: ModelCatalog;
  readonly settings: Pick<PipelineSettings, 'planDeadlineMs'>;
  readonly log: Logger;
}

export const unplanned: BoundConversation = { plan: null, isAnchored: false, dropsBlocks: false };

export interface FoundConversation {
  readonly known: BoundConversation;
  /** False if the store could not be read and may contain a plan of the conversation. */
  readonly isSure: boolean;
  /** The limit on how long the request waits for records of earlier requests. */
  readonly wait: Wait;
}

/**
 * Finds the plan for a later request in the cache or in the store. The newest plan is stored under the name of the
 * newest turn for which tools were loaded.
 */
export async function findConversation(
  { caller: { accountId }, exchange: { requestId, abort } }: ConversationSubject,
  names: ConversationNames & { readonly before: string },
  { boundPlans: { memo, store, patience }, log }: BoundServices,
): Promise<FoundConversation> {
  const { before, firstTurn, opening } = names;
  const wait = patience.start(abort.signal);
  const remembered = await memo.find(accountId, before);
  if (remembered !== undefined) return { known: remembered, isSure: true, wait };
  const start = firstTurn === null ? [opening] : [firstTurn, opening];
  const stored = [...names.answeredTurns().map(nameTurn), ...start];
  const ask = async (signal: AbortSignal): Promise<BoundConversation> => {
    try {
      return { ...unplanned, plan: await store.find(accountId, stored, signal) };
    } catch (error) {
      // On a busy machine, the cache may have the plan but not answer in time.
      const late = await memo.reload(accountId, before);
      if (late === undefined) throw error;
      return late;
    }
  };
  try {
    // A failed call is repeated, because the provider would reject the reasoning after an unplanned request.
    return { known: await wait.insist(ask), isSure: true, wait };
  } catch (error) {
    log.warn({ err: error, requestId }, 'failed to load the conversation plan, sending all tools');
    return { known: unplanned, isSure: false, wait };
  }
}

/**
 * Stores the plan under a second name, which covers the first response. A later conversation with the same first
 * messages may replace the plan under the first name, which covers only these messages.
 */
export function anchor(
  { caller: { accountId } }: ConversationSubject,
  { here, firstTurn }: ConversationNames,
  known: BoundConversation,
  { boundPlans: { memo, store }, log }: BoundServices,
): void {
  if (known.plan === null || known.isAnchored || firstTurn === null) return;
  // Another branch of the conversation may share the first response, so the tools of later turns are not stored here.
  store.keep(accountId, firstTurn, { ...known.plan, additions: [] }).then(
    // While the plan is being stored, a loaded tool or rejected reasoning may change the conversation's state.
    // The state of the conversation is read from the cache a second time.
    () => memo.keep(accountId, here, { ...(memo.peek(here) ?? known), isAnchored: true }),
    (error: unknown) => log.debug({ err: error }, 'second name of a bound plan not stored'),
  );
}
