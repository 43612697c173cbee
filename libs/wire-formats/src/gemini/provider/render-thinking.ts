import type { ChatSettings, JsonObject } from '@gateway/interchange';
import type { RenderContext } from './render-context.ts';

/** Since this generation the model is told a level; before, a budget. */
const levelsSince = 3;
/** Models before this one do not think. */
const thinkingSince = 2.5;

/** Tokens for each word, as Google's own endpoint of OpenAI's format has them (ai.google.dev/gemini-api/docs/openai). */
const effortBudgets: ReadonlyMap<string, number> = new Map([
  ['none', 0],
  ['minimal', 1024],
  ['low', 1024],
  ['medium', 8192],
  ['high', 24_576],
  ['xhigh', 24_576],
  ['max', 24_576],
]);

const effortLevels: ReadonlyMap<string, string> = new Map([
  ['none', 'MINIMAL'],
  ['minimal', 'MINIMAL'],
  ['low', 'LOW'],
  ['medium', 'MEDIUM'],
  ['high', 'HIGH'],
  ['xhigh', 'HIGH'],
  ['max', 'HIGH'],
]);

/** Words that the format has no word of its own for. */
const approximated = new Set(['none', 'xhigh', 'max']);

/** The member `thinkingConfig`; undefined where the client says nothing of it, or the model cannot think. */
export function renderThinking(
  { reasoningEffort, thinking }: ChatSettings,
  context: RenderContext,
): JsonObject | undefined {
  if (reasoningEffort === undefined && thinking === undefined) return undefined;
  if (context.generation < thinkingSince) {
    if (thinking?.enabled !== false) context.lose('thinking', 'the model does not think');
    return undefined;
  }
  const isOff = reasoningEffort === 'none' || thinking?.enabled === false;
  const includeThoughts = !isOff && (thinking?.shown ?? true);
  return {
    ...renderAmount(isOff ? 'none' : reasoningEffort, thinking?.budgetTokens, context),
    includeThoughts,
  };
}

function renderAmount(
  effort: string | undefined,
  budgetTokens: number | undefined,
  context: RenderContext,
): JsonObject {
  if (effort === undefined) return budgetTokens === undefined ? {} : { thinkingBudget: budgetTokens };
  const table = context.generation >= levelsSince ? effortLevels : effortBudgets;
  const amount = table.get(effort);
  if (amount === undefined || (table === effortLevels && approximated.has(effort)))
    context.lose('reasoning_effort', 'the format has no such level');
  if (amount === undefined) return {};
  return table === effortLevels ? { thinkingLevel: amount } : { thinkingBudget: amount };
}
