import type { ChatRequest, ChatSettings, JsonObject, Loss } from '@gateway/interchange';
import type { RenderedRequest, RequestRenderOptions } from '../../common/format.ts';
import { asList, asObject, optional, otherMembers } from '../../json/read-members.ts';
import { absentSettings, numberSettings, own, renderTextFormat } from '../shared/settings.ts';
import { renderTool, renderToolChoice } from '../shared/tools.ts';
import { renderItems } from './render-items.ts';

/** Minimum value of `max_output_tokens` that OpenAI accepts. */
const outputTokensMin = 16;
/**
 * The value of `include` that requests encrypted reasoning. Clients return encrypted reasoning in later
 * turns.
 */
const encryptedReasoning = 'reasoning.encrypted_content';

/** Renders a request body in the responses format and lists the losses. */
export function renderRequest(request: ChatRequest, options: RequestRenderOptions): RenderedRequest {
  const losses: Loss[] = [];
  const members = own.read(request);
  const { input: spelling, verbosity, ...rest } = members;
  const isOwnFormat = spelling !== undefined;
  const [first] = request.messages;
  const hasInstructions = own.read(first).isInstructions === true;
  const messages = hasInstructions ? request.messages.slice(1) : request.messages;
  const items = renderItems({ ...request, messages }, isOwnFormat, losses);
  const body: JsonObject = {
    ...optional('prompt_cache_key', options.promptCacheKey),
    ...(isOwnFormat ? {} : renderStateless(members)),
    ...otherMembers(rest, ['include', 'reasoning', 'text', ...(isOwnFormat ? [] : ['store'])]),
    model: options.model,
    ...(hasInstructions ? { instructions: textOf(request) } : {}),
    ...(isOwnFormat ? optional('include', members.include) : {}),
    ...(spelling === 'absent' ? {} : { input: spelling === 'text' ? (items[0]?.content ?? '') : items }),
    ...renderSettings(request.settings, { ...members, verbosity }, options, losses),
    ...renderTools(request, members, isOwnFormat, losses),
    ...(request.stream ? { stream: true } : {}),
  };
  return { body, losses };
}

function textOf({ messages }: ChatRequest): string {
  return (messages[0]?.parts ?? []).flatMap((part) => (part.type === 'text' ? [part.text] : [])).join('\n');
}

/**
 * Renders `store` and `include` for clients that use other formats. By default, the gateway requests that
 * nothing is stored, because clients of other formats send the whole conversation in each request.
 */
function renderStateless({ store, include }: JsonObject): JsonObject {
  return { store: store ?? false, include: [...asList(include), encryptedReasoning] };
}

function renderTools(
  request: ChatRequest,
  members: JsonObject,
  isOwnFormat: boolean,
  losses: Loss[],
): JsonObject {
  const tools = request.tools.flatMap((tool, index) => renderTool(tool, index, isOwnFormat, losses));
  const choice = tools.length === 0 ? undefined : renderToolChoice(request.toolChoice, request.tools);
  return {
    ...(tools.length === 0 ? {} : { tools }),
    ...optional('tool_choice', members.tool_choice ?? choice),
  };
}

function renderSettings(
  settings: ChatSettings,
  members: JsonObject,
  options: RequestRenderOptions,
  losses: Loss[],
): JsonObject {
  const body: Record<string, unknown> = {};
  for (const [member, name] of numberSettings)
    if (settings[name] !== undefined) body[member] = settings[name];
  const { maxOutputTokens, parallelToolCalls, endUser, responseFormat } = settings;
  if (maxOutputTokens !== undefined && maxOutputTokens < outputTokensMin) {
    body.max_output_tokens = outputTokensMin;
    losses.push({ field: 'max_tokens', reason: `the format takes ${outputTokensMin} tokens or more` });
  }
  losses.push(...findAbsent(settings));
  const format = responseFormat === undefined ? undefined : renderTextFormat(responseFormat);
  const { text } = members;
  return {
    ...body,
    ...optional('parallel_tool_calls', parallelToolCalls),
    ...optional('user', endUser),
    ...optional('reasoning', renderReasoning(settings, asObject(members.reasoning), options, losses)),
    ...optional('text', {
      ...optional('format', format),
      ...optional('verbosity', members.verbosity),
      ...asObject(text),
    }),
  };
}

/**
 * Renders the field `reasoning`. A summary is requested only if the client wants to see reasoning, because
 * OpenAI returns summaries only to verified accounts.
 */
function renderReasoning(
  { reasoningEffort, thinking }: ChatSettings,
  members: JsonObject = {},
  { takesReasoningEffort }: RequestRenderOptions,
  losses: Loss[],
): JsonObject {
  if (thinking?.enabled === true && reasoningEffort === undefined)
    losses.push({ field: 'thinking', reason: 'the format has a reasoning effort, not a budget' });
  const effort = takesReasoningEffort === false ? undefined : reasoningEffort;
  if (effort !== reasoningEffort)
    losses.push({ field: 'reasoning_effort', reason: 'the model does not take a reasoning effort' });
  const summary = thinking?.enabled === true && thinking.shown === true ? 'auto' : undefined;
  return { ...optional('effort', effort), ...optional('summary', summary), ...members };
}

/**
 * Lists losses for settings that the responses format lacks. A setting with its default value is not a loss.
 */
function findAbsent(settings: ChatSettings): Loss[] {
  const set = absentSettings.filter(([, name]) => {
    const value = settings[name];
    return Array.isArray(value) ? value.length > 0 : value !== undefined && (value !== 0 || name === 'seed');
  });
  const fields = set.map(([field]): string => field);
  if ((settings.answers ?? 1) > 1) fields.push('n');
  return fields.map((field) => ({ field, reason: 'the format has no such setting' }));
}
