import type { ChatSettings, JsonObject, Loss } from '@gateway/interchange';
import type { RequestRenderOptions } from '../../common/format.ts';
import { asObject, optional } from '../../json/read-members.ts';
import { renderOutputFormat, renderThinking } from '../shared/settings.ts';

/**
 * Default output limit in tokens. The messages format requires an output limit, and every model supports this
 * default.
 */
const maxTokensDefault = 4096;

/** The messages format's values for reasoning effort (Anthropic, "Effort"). */
const efforts: readonly string[] = ['low', 'medium', 'high', 'xhigh', 'max'];

/**
 * Interchange settings that the messages format lacks: the setting, the field named in the loss, and the
 * default value. A dropped default value is not a loss.
 */
const unsupported = [
  ['seed', 'seed', undefined],
  ['frequencyPenalty', 'frequency_penalty', 0],
  ['presencePenalty', 'presence_penalty', 0],
  ['answers', 'n', 1],
] as const satisfies readonly (readonly [keyof ChatSettings, string, number | undefined])[];

export function renderSettings(
  settings: ChatSettings,
  own: JsonObject,
  options: RequestRenderOptions,
  losses: Loss[],
): JsonObject {
  for (const [name, field, defaultValue] of unsupported) {
    if (settings[name] !== undefined && settings[name] !== defaultValue) {
      losses.push({ field, reason: 'the format has no such setting' });
    }
  }
  return {
    max_tokens: settings.maxOutputTokens ?? options.maxOutputTokensDefault ?? maxTokensDefault,
    ...renderSampling(settings, options, losses),
    ...renderStopSequences(settings, losses),
    ...optional('metadata', {
      ...asObject(own.metadata),
      ...optional('user_id', settings.endUser),
    }),
    ...renderThinkingMembers(settings, own),
    ...optional('output_config', renderOutputConfig(settings, own, options, losses)),
  };
}

function renderSampling(
  { temperature, topP, topK }: ChatSettings,
  { apiVersion }: RequestRenderOptions,
  losses: Loss[],
): JsonObject {
  const sampling = [
    ['temperature', temperature],
    ['top_p', topP],
    ['top_k', topK],
  ].filter((entry): entry is [string, number] => entry[1] !== undefined);
  if (apiVersion !== undefined && apiVersion !== '2023-06-01') {
    for (const [field] of sampling) losses.push({ field, reason: `version ${apiVersion} rejects it` });
    return {};
  }
  if (temperature !== undefined && temperature > 1) {
    losses.push({ field: 'temperature', reason: "the format's maximum is 1" });
    return { ...Object.fromEntries(sampling), temperature: 1 };
  }
  return Object.fromEntries(sampling);
}

/** Anthropic rejects stop sequences that contain only whitespace. */
function renderStopSequences({ stopSequences }: ChatSettings, losses: Loss[]): JsonObject {
  if (stopSequences === undefined) return {};
  const accepted = stopSequences.filter((sequence) => sequence.trim() !== '');
  if (accepted.length < stopSequences.length) {
    losses.push({ field: 'stop', reason: 'the format rejects stop sequences that are only white space' });
  }
  return accepted.length === 0 && stopSequences.length > 0 ? {} : { stop_sequences: accepted };
}

function renderThinkingMembers({ thinking, reasoningEffort }: ChatSettings, own: JsonObject): JsonObject {
  if (own.thinking !== undefined) return { thinking: own.thinking };
  if (thinking !== undefined) return { thinking: renderThinking(thinking) };
  // Other formats use the effort `none` to turn reasoning off.
  return reasoningEffort === 'none' ? { thinking: { type: 'disabled' } } : {};
}

function renderOutputConfig(
  { reasoningEffort, responseFormat }: ChatSettings,
  own: JsonObject,
  { takesReasoningEffort = true }: RequestRenderOptions,
  losses: Loss[],
): JsonObject {
  const given = asObject(own.output_config) ?? {};
  const format = responseFormat === undefined ? undefined : renderOutputFormat(responseFormat);
  if (responseFormat?.type === 'json') {
    losses.push({ field: 'response_format', reason: 'the format supports JSON only with a schema' });
  }
  const isSpelled = given.format !== undefined || own.output_format !== undefined;
  const effort = renderEffort(reasoningEffort, takesReasoningEffort, losses);
  return { ...given, ...optional('effort', effort), ...(isSpelled ? {} : optional('format', format)) };
}

function renderEffort(effort: string | undefined, isTaken: boolean, losses: Loss[]): string | undefined {
  if (effort === undefined || effort === 'none') return undefined;
  if (isTaken && efforts.includes(effort)) return effort;
  if (isTaken && effort === 'minimal') return 'low';
  const reason = isTaken ? `the format has no effort "${effort}"` : 'the model rejects a reasoning effort';
  losses.push({ field: 'reasoning_effort', reason });
  return undefined;
}
