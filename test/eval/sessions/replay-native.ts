import type { PlanToolsRequest, RoutingPolicy } from '@gateway/contracts';
import type { CatalogModel } from '@gateway/model-catalog';
import type { EvalRequest } from './eval-session.ts';
import type { ReplayOutcome, ReplaySettings, ReplaySubject } from './replay.ts';
import { askRouter, countChance, renderQuestion, replayRequests, type ReplayState } from './replay-state.ts';

/**
 * Settings for a replay with the provider's own deferral. With deferred loading, a tool definition costs no
 * tokens until the model searches for the tool. After the search, the transcript contains the tool
 * definition. A tool search is a step within a response, for which the provider reads the context again. With
 * allowed tools, the prompt contains every definition, including the definitions of forbidden tools.
 */
export type NativeSetting = Pick<ReplaySettings, 'kOverride' | 'recallTarget' | 'price'> & {
  readonly way: NonNullable<CatalogModel['nativeSelection']>;
  /** Whether all tools except the search tool are deferred, as if the gateway had no plan. */
  readonly defersAll?: boolean;
};

/** The estimated token count of the model's search call and the search tool's definition. */
const searchAskTokens = 60;
const searchToolTokens = 300;
/** The number of tools that Anthropic's search returns, which is three to five according to the documentation. */
const foundTools = 5;

export function replayNative(subject: ReplaySubject, setting: NativeSetting): Promise<ReplayOutcome> {
  const { list } = subject;
  return replayRequests(subject, null, async (request, planner, state) => {
    const loaded =
      setting.defersAll === true
        ? []
        : (await askRouter(planner, questionOf(subject, setting, request, state), state, list.tools.length))
            .forwarded;
    if (setting.defersAll === true) state.isArmed = true;
    answer(subject, setting, request, loaded, state);
  });
}

/** Settings for a replay with bound reasoning. */
export type BoundSetting = Pick<ReplaySettings, 'kOverride' | 'recallTarget' | 'price'> & {
  readonly policy: RoutingPolicy | null;
  /** With `pruned`, the model has no access to tools outside the tool set. */
  readonly mode: 'deferred' | 'pruned';
  /** Whether later user turns load deferred tools at the end of the conversation. */
  readonly appends: boolean;
  /** Whether the prompt contains the names and descriptions of deferred tools, as in OpenAI's documentation. */
  readonly showsHeads: boolean;
};

/**
 * Replays a session with bound reasoning. The first request determines the tool set, which later requests
 * also use. With `appends`, each later user turn loads more tools, with their definitions after the messages.
 */
export function replayBound(subject: ReplaySubject, given: BoundSetting): Promise<ReplayOutcome> {
  const { list } = subject;
  const isDeferred = given.mode === 'deferred';
  const setting = { ...given, way: 'deferred_loading' } as const;
  const head: number[] = [];
  const added = new Set<number>();
  let turns = 0;
  return replayRequests(subject, given.policy, async (request, planner, state) => {
    const isFirst = turns === 0;
    const isNewTurn = request.userTurns.length > turns;
    turns = request.userTurns.length;
    if (isFirst || (given.appends && isNewTurn)) {
      const appends = given.appends ? { appends: true } : {};
      const question: PlanToolsRequest = {
        ...questionOf(subject, setting, request, state),
        mayRecover: isDeferred,
        ...appends,
        ...(isDeferred ? { deferredCost: given.showsHeads ? 'description' : 'nothing' } : { isFinal: true }),
      };
      const { forwarded } = await askRouter(planner, question, state, list.tools.length);
      state.isArmed = isDeferred;
      if (isFirst) head.push(...forwarded);
      else for (const tool of forwarded) if (!head.includes(tool)) added.add(tool);
    } else state.kept += (head.length + added.size) / list.tools.length;
    const before = state.loadedTokens;
    state.loadedTokens = [...added].reduce((sum, tool) => sum + (list.tokens[tool] ?? 0), 0);
    state.tail += state.loadedTokens - before;
    answer(subject, setting, request, head, state, isDeferred, added);
  });
}

function questionOf(
  subject: ReplaySubject,
  setting: NativeSetting & Partial<BoundSetting>,
  request: EvalRequest,
  state: ReplayState,
): PlanToolsRequest {
  const { way, price } = setting;
  const natively = { ...setting, price: { ...price, ...priceNatively(way, price) } };
  return {
    ...renderQuestion(subject, natively, request, state),
    mayRecover: way === 'deferred_loading',
  };
}

/**
 * Returns the prices that an edge would send to the tool router (`pipeline/stages/plan/session/plan-price.ts`).
 */
function priceNatively(
  way: NativeSetting['way'],
  { cacheRead, cacheWrite }: NativeSetting['price'],
): Omit<NativeSetting['price'], 'output'> {
  return way === 'allowed_tools'
    ? { cacheRead: null, cacheWrite: null, cachedTokensMin: 0 }
    : { cacheRead: cacheRead ?? 1, cacheWrite: cacheWrite ?? 1, cachedTokensMin: 0 };
}

/**
 * Adds the model's response. The model calls loaded tools, searches for deferred tools, and continues without
 * forbidden tools.
 */
function answer(
  { list, index }: ReplaySubject,
  { way, showsHeads = false }: NativeSetting & Partial<BoundSetting>,
  { needed, outputTokens }: EvalRequest,
  loaded: readonly number[],
  state: ReplayState,
  mayDefer = way === 'deferred_loading',
  added: ReadonlySet<number> = new Set(),
): void {
  const isDeferring = mayDefer && loaded.length < list.tools.length;
  const prompt = way === 'allowed_tools' ? [...list.tools.keys()] : isDeferring ? [...loaded, -1] : loaded;
  const inPrompt = new Set(loaded);
  const hidden = showsHeads ? list.headTokens.filter((_, position) => !inPrompt.has(position)) : [];
  const searchTokens = searchToolTokens + hidden.reduce((sum, tokens) => sum + tokens, 0);
  const tokensAt = (position: number): number => (position < 0 ? searchTokens : (list.tokens[position] ?? 0));
  const send = (output: number, isSearch = false): void =>
    state.prefixes.add(prompt, tokensAt, state.tail, output, isSearch);
  const position = needed === undefined ? undefined : index.positionsByName.get(needed)?.[0];
  if (needed === undefined || position === undefined) return send(outputTokens);
  const isIn = (inPrompt.has(position) || added.has(position)) && !state.recovered.has(needed);
  state.needs += 1;
  if (isIn) state.forwarded += 1;
  else if (!isDeferring) state.missed.set(needed, 1);
  else {
    countChance(needed, state);
    if (!state.recovered.has(needed)) {
      state.recovered.add(needed);
      state.rounds += 1;
      send(searchAskTokens, true);
      const mean = list.tokens.reduce((sum, tokens) => sum + tokens, 0) / list.tokens.length;
      state.tail += searchAskTokens + (list.tokens[position] ?? 0) + (foundTools - 1) * mean;
    }
  }
  // After a search, the transcript contains the definition of the deferred tool.
  // The prompt's tool list never contains a deferred tool's definition.
  if (isIn) state.called.add(needed);
  send(outputTokens);
}
