import type { ChatSettings, JsonObject } from '@gateway/interchange';
import { optional } from '../../json/read-members.ts';
import { renderResponseFormat } from '../response-format.ts';
import { numberSettings } from '../settings-table.ts';
import type { RenderContext } from './render-context.ts';

/** The members that say how the answer is to be made. `own` are those that came in this very format. */
export function renderSettings(settings: ChatSettings, own: JsonObject, context: RenderContext): JsonObject {
  const members: Record<string, unknown> = {};
  for (const [member, name] of numberSettings) {
    if (settings[name] !== undefined) members[member] = settings[name];
  }
  const { responseFormat } = settings;
  loseSettings(settings, context);
  return {
    ...members,
    ...optional('stop_sequences', settings.stopSequences),
    ...optional(
      'response_format',
      responseFormat === undefined ? undefined : renderResponseFormat(responseFormat),
    ),
    ...optional('thinking', own.thinking ?? renderThinking(settings, context)),
  };
}

/** There are no levels: thinking is on or off, and may have a budget. Models that think do so unless told not to. */
function renderThinking(
  { thinking, reasoningEffort }: ChatSettings,
  context: RenderContext,
): JsonObject | undefined {
  if (reasoningEffort === 'none') return { type: 'disabled' };
  if (reasoningEffort !== undefined) context.lose('reasoning_effort', 'the format has no levels');
  if (thinking === undefined) return undefined;
  if (!thinking.enabled) return { type: 'disabled' };
  return { type: 'enabled', ...optional('token_budget', thinking.budgetTokens) };
}

function loseSettings(settings: ChatSettings, context: RenderContext): void {
  if (settings.answers !== undefined && settings.answers !== 1)
    context.lose('n', 'the format gives one answer');
  if (settings.parallelToolCalls === false)
    context.lose('parallel_tool_calls', 'the format cannot forbid parallel calls');
  if (settings.endUser !== undefined) context.lose('user', 'the format has no such member');
}
