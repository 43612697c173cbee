import type { PlannedSession, PlanToolsRequest } from '@gateway/contracts';
import type { CatalogModel } from '@gateway/model-catalog';
import { ToolPlanner } from '../../../apps/tool-router/src/plan-tools/plan-tools.ts';
import { noPolicies } from '../../../apps/tool-router/src/plan-tools/routing-policies.port.ts';
import { SharedPrefixes } from './bill.ts';
import type { EvalRequest } from './eval-session.ts';
import type { ReplayOutcome, ReplaySettings, ReplaySubject } from './replay-session.ts';

/**
 * Providers' own ways in the same replay. `deferred`: what is not loaded costs nothing until the model searches (a step of the same
 * answer, for which the context is read once more), and then stands in the transcript. `allowed`: every definition is in the prompt
 * whatever may be called.
 */
export type NativeSetting = Pick<ReplaySettings, 'kOverride' | 'recallTarget' | 'price'> & {
  readonly way: NonNullable<CatalogModel['nativeSelection']>;
  /** Nothing is loaded but the search: what a client without a plan does. */
  readonly defersAll?: boolean;
};

/** What the model writes to search, and the search tool's own definition: an estimate. */
const searchAskTokens = 60;
const searchToolTokens = 300;
const messageTokens = 4;
/** Tools that Anthropic's search answers with: three to five, by its documentation. */
const foundTools = 5;

interface State {
  readonly prefixes: SharedPrefixes;
  readonly called: Set<string>;
  readonly found: Set<string>;
  /** By tool: how often it was needed and not loaded. */
  readonly missed: Map<string, number>;
  readonly chances: number[];
  remembered: PlannedSession | undefined;
  tail: number;
  needs: number;
  forwarded: number;
  rounds: number;
  kept: number;
}

export async function replayNative(subject: ReplaySubject, setting: NativeSetting): Promise<ReplayOutcome> {
  const { session, index, ranker, priors } = subject;
  const lists = { find: () => ({ status: 'known' as const, index }) };
  const planner = new ToolPlanner({ lists, ranker, priors, policies: noPolicies, instanceId: 'eval' });
  const state: State = {
    prefixes: new SharedPrefixes(),
    called: new Set(),
    found: new Set(),
    missed: new Map(),
    chances: [],
    remembered: undefined,
    tail: session.systemTokens,
    needs: 0,
    forwarded: 0,
    rounds: 0,
    kept: 0,
  };
  for (const request of session.requests) {
    state.tail += request.newTokens + messageTokens;
    const loaded =
      setting.defersAll === true ? [] : await planRequest(planner, subject, setting, request, state);
    answer(subject, setting, request, loaded, state);
    state.tail += request.outputTokens + messageTokens;
  }
  const { needs, forwarded, chances, rounds } = state;
  const kept = state.kept / Math.max(1, session.requests.length);
  return { calls: state.prefixes.calls, needs, forwarded, chances, rounds, kept };
}

async function planRequest(
  planner: ToolPlanner,
  { session, list, index }: ReplaySubject,
  { way, kOverride, recallTarget, price }: NativeSetting,
  { userTurns }: EvalRequest,
  state: State,
): Promise<readonly number[]> {
  const question: PlanToolsRequest = {
    accountId: '019a9f5e-0000-7000-8000-000000000001',
    requestId: '019a9f5e-0000-7000-8000-000000000002',
    listHash: index.listHash,
    userTurns: userTurns.map((turn) => turn.slice(0, 1000)),
    calledTools: [...state.called],
    recentResults: [],
    forcedTools: [],
    pinned: [],
    kOverride,
    recallTarget,
    mayRecover: way === 'deferred_loading',
    price: {
      ...price,
      ...priceNatively(way, price),
      listTokens: list.tokens.reduce((sum, tokens) => sum + tokens, 0),
      headTokens: session.systemTokens + (session.requests[0]?.newTokens ?? 0),
    },
    ...(state.remembered === undefined ? {} : { session: state.remembered }),
  };
  const reply = await planner.plan(question);
  if (reply.status !== 'planned') throw new Error('the list is known');
  state.remembered = {
    forwarded: reply.chosen ?? reply.forwarded,
    turns: userTurns.length,
    policyVersion: reply.policyVersion,
    lane: reply.method,
    way: reply.recovery.armed ? reply.recovery.way : null,
    isShadow: false,
  };
  state.kept += reply.forwarded.length / list.tools.length;
  return reply.forwarded;
}

/** As the edge tells the router (`pipeline/stages/plan/session/plan-price.ts`). */
function priceNatively(
  way: NativeSetting['way'],
  { cacheRead, cacheWrite }: NativeSetting['price'],
): Omit<NativeSetting['price'], 'output'> {
  return way === 'allowed_tools'
    ? { cacheRead: null, cacheWrite: null, cachedTokensMin: 0 }
    : { cacheRead: cacheRead ?? 1, cacheWrite: cacheWrite ?? 1, cachedTokensMin: 0 };
}

/** The model calls what is loaded, searches for what is deferred, and goes without what it may not call. */
function answer(
  { list, index }: ReplaySubject,
  { way }: NativeSetting,
  { needed, outputTokens }: EvalRequest,
  loaded: readonly number[],
  state: State,
): void {
  const isDeferring = way === 'deferred_loading' && loaded.length < list.tools.length;
  const prompt = way === 'allowed_tools' ? [...list.tools.keys()] : isDeferring ? [...loaded, -1] : loaded;
  const tokensAt = (position: number): number =>
    position < 0 ? searchToolTokens : (list.tokens[position] ?? 0);
  const send = (output: number): void => state.prefixes.add(prompt, tokensAt, state.tail, output);
  const position = needed === undefined ? undefined : index.positionsByName.get(needed)?.[0];
  if (needed === undefined || position === undefined) return send(outputTokens);
  const isIn = loaded.includes(position) && !state.found.has(needed);
  state.needs += 1;
  if (isIn) state.forwarded += 1;
  else if (isDeferring) {
    const chances = (state.missed.get(needed) ?? 0) + 1;
    state.missed.set(needed, chances);
    state.chances.push(chances);
    if (!state.found.has(needed)) {
      state.found.add(needed);
      state.rounds += 1;
      send(searchAskTokens);
      const mean = list.tokens.reduce((sum, tokens) => sum + tokens, 0) / list.tokens.length;
      state.tail += searchAskTokens + (list.tokens[position] ?? 0) + (foundTools - 1) * mean;
    }
  }
  // A deferred tool that was found is defined by the transcript; it is never loaded into the prompt.
  if (isIn) state.called.add(needed);
  send(outputTokens);
}
