import { decidingTurnsMax, type PlannedConversation } from '@gateway/contracts';
import type { PlanToolsRequest, RoutingPolicy } from '@gateway/contracts';
import { shortenTurn } from '../../../apps/edge-gateway/src/pipeline/stages/plan/conversation/shorten-turn.ts';
import type { PlannedTools } from '../../../apps/tool-router/src/plan-tools/choose-plan.ts';
import { ToolPlanner } from '../../../apps/tool-router/src/plan-tools/plan-tools.ts';
import { LoopShare } from '../../../libs/messaging/src/loop-share.ts';
import type { ToolLists } from '../../../apps/tool-router/src/tool-index/tool-memory.ts';
import { SharedPrefixes } from './bill.ts';
import type { EvalRequest } from './eval-session.ts';
import type { ReplayOutcome, ReplaySettings, ReplaySubject } from './replay.ts';

/** A replay simulates only one account, so this account may use all processor time. */
const share = new LoopShare({
  ...{ pieceMs: 60_000, contendedShare: 1, burstMs: 0 },
  jobs: { slots: 64, slotsPerAccount: 64, waitingPerAccountMax: 64, waitingMax: 64, waitMsMax: 60_000 },
});

/** The number of tokens that a message has in addition to its text. */
export const messageTokens = 4;

/** The state of one session's replay. */
export interface ReplayState {
  readonly prefixes: SharedPrefixes;
  readonly called: Set<string>;
  /** The names of the pruned tools that the model recovered. */
  readonly recovered: Set<string>;
  /** For each tool, how often the model needed the tool while it was pruned. */
  readonly missed: Map<string, number>;
  readonly chances: number[];
  remembered: PlannedConversation | undefined;
  tail: number;
  /** The token count of the definitions that user turns loaded at the end of the conversation. */
  loadedTokens: number;
  /**
   * The token count of the last request without its tools, or 0 before the first request. When a user turn
   * arrives, this token count is appended to `sentBefore`.
   */
  sentTokens: number;
  readonly sentBefore: number[];
  /** For each user turn, the number of tools that were called before the turn. */
  readonly calledBefore: number[];
  needs: number;
  forwarded: number;
  rounds: number;
  kept: number;
  isArmed: boolean | undefined;
  bucket: string;
  readonly heldFromK: Map<string, number>;
  readonly learnedFromK: Map<string, number>;
}

/**
 * Processes a session's requests in order and counts their tokens. `answer` adds the model's response to each
 * request.
 */
export async function replayRequests(
  { session, index, ranker, priors }: ReplaySubject,
  policy: RoutingPolicy | null,
  answer: (request: EvalRequest, planner: ToolPlanner, state: ReplayState) => Promise<void>,
): Promise<ReplayOutcome> {
  const lists: ToolLists = {
    sizeOf: () => index.names.length,
    // eslint-disable-next-line require-yield -- the list is indexed
    *find() {
      return { status: 'known', index };
    },
  };
  const planner = new ToolPlanner({
    lists,
    ranker,
    priors,
    policies: { find: () => policy },
    share,
    instanceId: 'eval',
  });
  const state = openState(session.systemTokens);
  for (const request of session.requests) {
    if (request.userTurns.length > state.sentBefore.length) {
      state.sentBefore.push(state.sentTokens);
      state.calledBefore.push(state.called.size);
    }
    state.tail += request.newTokens + messageTokens;
    await answer(request, planner, state);
    state.sentTokens = state.tail;
    state.tail += request.outputTokens + messageTokens;
  }
  const { needs, forwarded, chances, rounds, missed, isArmed = false } = state;
  const { bucket, heldFromK, learnedFromK } = state;
  const kept = state.kept / Math.max(1, session.requests.length);
  const counts = { calls: state.prefixes.calls, needs, forwarded, chances, rounds, kept };
  return { ...counts, missed: [...missed.keys()], isArmed, bucket, heldFromK, learnedFromK };
}

function openState(systemTokens: number): ReplayState {
  return {
    prefixes: new SharedPrefixes(systemTokens),
    called: new Set(),
    recovered: new Set(),
    missed: new Map(),
    chances: [],
    remembered: undefined,
    tail: systemTokens,
    loadedTokens: 0,
    sentTokens: 0,
    sentBefore: [],
    calledBefore: [],
    needs: 0,
    forwarded: 0,
    rounds: 0,
    kept: 0,
    isArmed: undefined,
    bucket: '',
    heldFromK: new Map(),
    learnedFromK: new Map(),
  };
}

/** Returns the tool router's input for a request. */
export function renderQuestion(
  { session, list, index }: ReplaySubject,
  {
    kOverride,
    recallTarget,
    price,
    isShadow,
  }: Pick<ReplaySettings, 'kOverride' | 'recallTarget' | 'price' | 'isShadow'>,
  { userTurns }: EvalRequest,
  { called, calledBefore, remembered, sentBefore }: ReplayState,
): PlanToolsRequest {
  return {
    accountId: '019a9f5e-0000-7000-8000-000000000001',
    requestId: '019a9f5e-0000-7000-8000-000000000002',
    listHash: index.listHash,
    userTurns: userTurns.map(shortenTurn),
    calledTools: [...called],
    calledBefore,
    recentResults: [],
    forcedTools: [],
    pinned: [],
    kOverride,
    recallTarget,
    price: {
      ...price,
      listTokens: list.tokens.reduce((sum, tokens) => sum + tokens, 0),
      headTokens: session.systemTokens + (session.requests[0]?.newTokens ?? 0),
      sentTokens: sentBefore.slice(0, decidingTurnsMax),
    },
    ...(remembered === undefined ? {} : { session: remembered }),
    ...(isShadow === true ? { shadow: { at: 0, share: 1 } } : {}),
  };
}

/** Calls the tool router and, like the gateway, stores the planning state for the next request. */
export async function askRouter(
  planner: ToolPlanner,
  question: PlanToolsRequest,
  state: ReplayState,
  toolCount: number,
  wayOf: (reply: PlannedTools) => PlannedTools['recovery']['way'] = ({ recovery }) => recovery.way,
): Promise<PlannedTools> {
  const reply = await planner.plan(question);
  if (reply.status !== 'planned') throw new Error('the list is known');
  state.remembered = {
    forwarded: reply.chosen ?? reply.forwarded,
    turns: question.userTurns.length,
    policyVersion: reply.policyVersion,
    lane: reply.method,
    way: reply.way == null ? null : wayOf(reply),
    isShadow: reply.isShadow,
    isUndecided: reply.isUndecided,
  };
  if (!reply.isUndecided) state.isArmed ??= reply.recovery.armed;
  state.bucket = reply.bucket;
  state.kept += reply.forwarded.length / toolCount;
  return reply;
}

/** Records that the model needed a pruned tool, and therefore had a chance to request the tool. */
export function countChance(needed: string, { missed, chances }: ReplayState): void {
  const count = (missed.get(needed) ?? 0) + 1;
  missed.set(needed, count);
  chances.push(count);
}
