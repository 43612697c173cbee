import { decidingTurnsMax, systemToolsMax, type PlanPrice, type PlanToolsRequest } from '@gateway/contracts';
import {
  identifierPattern,
  wordPattern,
  type MessageOutline,
  type RequestOutline,
  type ToolOutline,
} from '@gateway/interchange';
import type { CatalogModel } from '@gateway/model-catalog';
import type { Deferral } from '../../../exchange/tool-plan.ts';
import { instructionsOf } from '../../../../request/conversation.ts';
import { namesInToolChoice } from '../../../../request/request-facts.ts';
import { charactersPerToken } from '../../../../request/token-estimates.ts';
import type { Caller } from '../../../../request/request.ts';
import { shortenTurn } from './shorten-turn.ts';

type Context = Pick<PlanToolsRequest, 'userTurns' | 'calledTools' | 'calledBefore' | 'recentResults'>;

/**
 * Limits on the request to the tool router. Together, the limits keep a request to the tool router below about 200
 * KB.
 */
const turnsMax = 200;
const resultsMax = 3;
const resultCharactersMax = 1_000;

/**
 * Extracts the parts of a conversation that the tool router needs. The tool router needs all user turns, because
 * the tool set grows with each turn. For a conversation of more than 200 turns, the request contains the first 199
 * turns and the last turn. Tools that only an omitted turn needs may be missing from the plan.
 * @param shorten a function that returns the text of a user turn as the tool router receives it
 */
export function conversationContext(
  messages: readonly MessageOutline[],
  shorten = (turn: MessageOutline): string => shortenTurn(turn.text()),
): Context {
  const turns = messages.filter((message) => message.role === 'user');
  const sent = turns.length > turnsMax ? [...turns.slice(0, turnsMax - 1), ...turns.slice(-1)] : turns;
  const called = new Set<string>();
  const before = new Map<MessageOutline, number>();
  for (const message of messages) {
    before.set(message, called.size);
    for (const call of message.toolCalls) called.add(call.name);
  }
  return {
    userTurns: sent.map(shorten),
    calledTools: [...called].slice(0, 4096),
    calledBefore: sent.map((turn) => before.get(turn) ?? 0),
    recentResults: recentResults(messages),
  };
}

/**
 * Returns the newest tool results after the last user turn. In an agent loop, the newest tool results
 * indicate which tools are needed next.
 */
function recentResults(messages: readonly MessageOutline[]): string[] {
  const lastUser = messages.findLastIndex((message) => message.role === 'user');
  const results = messages.slice(lastUser + 1).filter((message) => message.role === 'tool');
  return results.slice(-resultsMax).map((message) => message.text().slice(0, resultCharactersMax));
}

/**
 * Returns the tools that are forwarded regardless of their rank.
 * @param known the tools that are named in the instructions of the conversation's first planned request. Undefined
 * if no earlier request of the conversation was planned.
 */
export function toolContext(
  outline: RequestOutline,
  tools: readonly ToolOutline[],
  known: readonly number[] | undefined,
): Pick<PlanToolsRequest, 'forcedTools' | 'pinned' | 'systemTools'> {
  return {
    forcedTools: [...namesInToolChoice(outline.toolChoice)],
    pinned: tools.flatMap(pinnedPosition),
    systemTools: [...(known ?? findSystemTools(outline, tools))],
  };
}

function pinnedPosition(tool: ToolOutline, position: number): PlanToolsRequest['pinned'] {
  if (tool.builtIn) return [{ position, because: 'built_in' }];
  return tool.cacheControl ? [{ position, because: 'cache_control' }] : [];
}

/** Maximum number of characters of the instructions that are searched for tool names. */
const instructionsCharactersMax = 200_000;
/** Matches the characters before a tool name that is quoted, bold, a heading, or the name of an XML element. */
const markPattern = /[`"'“‘*<]$|# $/;
const toolPattern = /^[^\p{L}\p{N}]{1,3}tools?(?![\p{L}\p{N}])/u;

/**
 * Returns the positions of the tools that the instructions name, at most 16. An ordinary word such as "read" counts
 * as a tool name only if the word precedes the word "tool" or is marked. Marked words are quoted, bold, or in a
 * heading. If the instructions name more than 16 tools, the function returns the tools that are named at least
 * twice, most frequent first. A list that names each tool only once does not show which tools are important. The
 * running time is linear in the length of the instructions.
 */
export function findSystemTools(outline: RequestOutline, tools: readonly ToolOutline[]): readonly number[] {
  const positions = new Map(
    tools.flatMap(({ name }, at) => (name === undefined ? [] : [[name, at] as const])),
  );
  const texts = instructionsOf(outline).map((part) => part.text());
  const counts = countNames(texts.join('\n'), positions);
  if (counts.size <= systemToolsMax) return [...counts.keys()];
  return [...counts]
    .filter(([, count]) => count > 1)
    .sort(([, one], [, other]) => other - one)
    .slice(0, systemToolsMax)
    .map(([position]) => position);
}

/** Counts how often a text names each tool, in the order of first mention. */
function countNames(text: string, positions: ReadonlyMap<string, number>): Map<number, number> {
  const counts = new Map<number, number>();
  for (const { 0: word, index } of text.slice(0, instructionsCharactersMax).matchAll(wordPattern)) {
    const name = positions.has(word) ? word : word.replace(/[.:/-]{1,3}$/, '');
    const position = positions.get(name);
    if (position === undefined) continue;
    const end = index + name.length;
    const isNamed =
      identifierPattern.test(name) ||
      markPattern.test(text.slice(Math.max(0, index - 2), index)) ||
      toolPattern.test(text.slice(end, end + 10));
    if (isNamed) counts.set(position, (counts.get(position) ?? 0) + 1);
  }
  return counts;
}

/**
 * The length in tokens of the shortest prefix that a provider caches, for models without a minimum in the catalogue.
 */
const cachedTokensMin = 1_024;
/**
 * Price of output tokens relative to input tokens, for models with unknown prices. Most chat models have about this
 * ratio.
 */
const outputUsual = 4;

/**
 * Returns the token prices at the target. The token prices must be the same in every turn of a conversation. To keep
 * the prices stable, the function estimates prompt lengths with a fixed ratio, and counts only messages before the
 * model's first turn.
 */
export function priceOf(
  model: CatalogModel | undefined,
  tools: readonly ToolOutline[],
  outline: RequestOutline,
  { deferralMode, marksCache }: PriceSetting,
): PlanPrice {
  const firstTurn = outline.messages.findIndex(({ role }) => role === 'assistant');
  const head = firstTurn < 0 ? outline.messages : outline.messages.slice(0, firstTurn);
  const system = outline.system === undefined ? [] : [outline.system];
  const { input = 0, output = 0 } = model?.prices ?? {};
  return {
    ...priceWithDeferral(deferralMode, cachePriceOf(model, outline, marksCache)),
    output: input > 0 ? output / input : outputUsual,
    listTokens: tokensOf(tools),
    headTokens: roundUp(tokensOf([...system, ...head])),
    sentTokens: listSentTokens(outline),
  };
}

/**
 * Rounds up to 1, 1.25, 1.5 or 1.75 times a power of two. The instructions of agents contain changing text,
 * such as the state of a repository. Without rounding, a few more tokens could change K (the number of ranked
 * tools) in the next session.
 */
function roundUp(tokens: number): number {
  const step = 2 ** Math.max(0, Math.floor(Math.log2(Math.max(1, tokens))) - 2);
  return Math.ceil(tokens / step) * step;
}

/** Inputs that determine which of the target's prices apply to a request. */
interface PriceSetting {
  readonly deferralMode?: Deferral['mode'] | undefined;
  /** Whether translation adds cache markers. */
  readonly marksCache: boolean;
}

/** For each of the first user turns, estimates the tokens after the tools that earlier requests contained. */
function listSentTokens({ system, messages }: RequestOutline): number[] {
  const sent: number[] = [];
  let [bytes, answered] = [lengthOf(system), 0];
  for (const message of messages) {
    if (sent.length >= decidingTurnsMax) break;
    if (message.role === 'user') sent.push(Math.ceil(answered / charactersPerToken));
    if (message.role === 'assistant') answered = bytes;
    bytes += lengthOf(message);
  }
  return sent;
}

/**
 * Estimates the tokens of instructions and messages before the model's last message. Earlier requests contained the
 * same instructions and messages.
 */
export function countSentTokens({ system, messages }: RequestOutline): number {
  const lastTurn = messages.findLastIndex(({ role }) => role === 'assistant');
  return lastTurn < 0
    ? 0
    : tokensOf([...(system === undefined ? [] : [system]), ...messages.slice(0, lastTurn)]);
}

function lengthOf(part: Ranged | undefined): number {
  return part === undefined ? 0 : part.range.end - part.range.start;
}

type CachePrice = Pick<PlanPrice, 'cacheRead' | 'cacheWrite' | 'cachedTokensMin'>;
const uncached: CachePrice = { cacheRead: null, cacheWrite: null, cachedTokensMin: 0 };

/**
 * Returns the prompt cache prices of a request with deferral. With `deferred`, the provider appends found
 * definitions to the context, so a larger initial list saves nothing. With `allowed`, all definitions stay in
 * the prompt, so the prompt cache stays valid when more tools are allowed.
 */
function priceWithDeferral(mode: Deferral['mode'] | undefined, price: CachePrice): CachePrice {
  if (mode === undefined) return price;
  if (mode === 'allowed') return uncached;
  return { cacheRead: price.cacheRead ?? 1, cacheWrite: price.cacheWrite ?? 1, cachedTokensMin: 0 };
}

/**
 * Returns the model's prices for the prompt cache. Some providers cache only requests that contain cache markers.
 * Requests without cache markers are priced as uncached input.
 */
function cachePriceOf(
  model: CatalogModel | undefined,
  outline: RequestOutline,
  marksCache: boolean,
): CachePrice {
  const cache = model?.cache ?? null;
  const isCached =
    cache?.kind === 'automatic' || (cache?.kind === 'explicit' && (marksCache || isMarked(outline)));
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

interface Ranged {
  readonly range: { readonly start: number; readonly end: number };
}

function tokensOf(parts: readonly Ranged[]): number {
  const bytes = parts.reduce((sum, part) => sum + lengthOf(part), 0);
  return Math.ceil(bytes / charactersPerToken);
}

/**
 * Returns whether the account enables recovery and the model is free to call any tool. If the client forces
 * or forbids tools, the model cannot call the recovery tool.
 */
export function isRecoveryPermitted({ toolChoice }: RequestOutline, { pruning }: Caller): boolean {
  return pruning.recovery && (toolChoice.mode === 'unset' || toolChoice.mode === 'auto');
}
