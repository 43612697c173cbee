import type { PlanPrice, PlanToolsRequest } from '@gateway/contracts';
import type { MessageOutline, RequestOutline, ToolOutline } from '@gateway/interchange';
import type { CatalogModel } from '@gateway/model-catalog';
import type { NativeSelection } from '../../../exchange/tool-plan.ts';
import { charactersPerToken } from '../../../../request/token-estimates.ts';
import type { Caller } from '../../../../request/request.ts';

type Context = Pick<PlanToolsRequest, 'userTurns' | 'calledTools' | 'recentResults'>;

/** Bounds on what travels to the router: at most about 200 KB, whatever the conversation. */
const turnsMax = 200;
const turnCharactersMax = 1_000;
const resultsMax = 3;
const resultCharactersMax = 1_000;

/**
 * What the router needs of a conversation. All user turns go, since the session's set is grown from them one by one;
 * past 200 the last one takes the last place, which can undo growth that only the turns left out had caused.
 */
export function conversationContext(messages: readonly MessageOutline[]): Context {
  const turns = messages.filter((message) => message.role === 'user');
  const sent = turns.length > turnsMax ? [...turns.slice(0, turnsMax - 1), ...turns.slice(-1)] : turns;
  const called = new Set<string>();
  for (const message of messages) for (const call of message.toolCalls) called.add(call.name);
  return {
    userTurns: sent.map((turn) => cutMiddle(turn.text(), turnCharactersMax)),
    calledTools: [...called].slice(0, 4096),
    recentResults: recentResults(messages),
  };
}

/** Both ends of a long turn: what is asked for stands before what was pasted, or after it. */
function cutMiddle(text: string, charactersMax: number): string {
  if (text.length <= charactersMax) return text;
  const half = charactersMax / 2;
  return `${text.slice(0, half)}\n${text.slice(-half)}`;
}

/** The last tool results after the last user turn: in an agent's loop, the text that says what is needed next. */
function recentResults(messages: readonly MessageOutline[]): string[] {
  const lastUser = messages.findLastIndex((message) => message.role === 'user');
  const results = messages.slice(lastUser + 1).filter((message) => message.role === 'tool');
  return results.slice(-resultsMax).map((message) => message.text().slice(0, resultCharactersMax));
}

/** The shortest prefix that providers cache, where the catalogue does not know it. */
const cachedTokensMin = 1_024;
/** What output costs against input, where prices are not known: the usual for chat models. */
const outputUsual = 4;

/**
 * What tokens cost where the request goes. It has to be the same in every turn of a session, so it is estimated by a fixed
 * ratio, and of the conversation it counts what stands before the model's first turn alone.
 */
export function priceOf(
  model: CatalogModel | undefined,
  tools: readonly ToolOutline[],
  outline: RequestOutline,
  native?: NativeSelection['mode'],
): PlanPrice {
  const firstTurn = outline.messages.findIndex(({ role }) => role === 'assistant');
  const head = firstTurn < 0 ? outline.messages : outline.messages.slice(0, firstTurn);
  const system = outline.system === undefined ? [] : [outline.system];
  const { input = 0, output = 0 } = model?.prices ?? {};
  return {
    ...priceNatively(native, cachePriceOf(model, outline)),
    output: input > 0 ? output / input : outputUsual,
    listTokens: tokensOf(tools),
    headTokens: tokensOf([...system, ...head]),
  };
}

type CachePrice = Pick<PlanPrice, 'cacheRead' | 'cacheWrite' | 'cachedTokensMin'>;
const uncached: CachePrice = { cacheRead: null, cacheWrite: null, cachedTokensMin: 0 };

/**
 * In the providers' own ways: what is found of the deferred stands at the end of the context, cached or not, so that nothing is gained by
 * growing the list; of what is only restricted all stays in the prompt, so that growing what may be called rewrites nothing.
 */
function priceNatively(way: NativeSelection['mode'] | undefined, price: CachePrice): CachePrice {
  if (way === undefined) return price;
  if (way === 'allowed') return uncached;
  return { cacheRead: price.cacheRead ?? 1, cacheWrite: price.cacheWrite ?? 1, cachedTokensMin: 0 };
}

/** Where the provider caches what the request marks, a request without marks is not cached. */
function cachePriceOf(model: CatalogModel | undefined, outline: RequestOutline): CachePrice {
  const cache = model?.cache ?? null;
  const isCached = cache?.kind === 'automatic' || (cache?.kind === 'explicit' && isMarked(outline));
  if (cache === null || !isCached || cache.readMultiplier === null) return uncached;
  return {
    cacheRead: cache.readMultiplier,
    cacheWrite: cache.writeMultiplier ?? 1,
    cachedTokensMin: cache.minTokens ?? cachedTokensMin,
  };
}

function isMarked({ system, tools, messages }: RequestOutline): boolean {
  return [...(system === undefined ? [] : [system]), ...tools, ...messages].some(
    ({ cacheControl }) => cacheControl,
  );
}

function tokensOf(parts: readonly { readonly range: { start: number; end: number } }[]): number {
  const bytes = parts.reduce((sum, { range }) => sum + range.end - range.start, 0);
  return Math.ceil(bytes / charactersPerToken);
}

/**
 * Whether tools that are left out can be kept reachable: the account wants it, and the model is free to call what it
 * likes. Where the client forces a tool, or forbids all, the stand-in could not be called.
 */
export function isRecoveryPermitted({ toolChoice }: RequestOutline, { pruning }: Caller): boolean {
  return pruning.recovery && (toolChoice.mode === 'unset' || toolChoice.mode === 'auto');
}
