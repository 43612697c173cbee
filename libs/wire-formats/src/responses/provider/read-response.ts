import type { FinishReason, JsonObject, ProviderError, StreamEvent } from '@gateway/interchange';
import {
  asList,
  asNumber,
  asObject,
  asText,
  isEmpty,
  isObject,
  optional,
  otherMembers,
} from '../../json/read-members.ts';
import { boundMessage, mapStatusToType, parseErrorBody } from '../../common/provider-error.ts';
import { own, parseUsage } from '../shared/settings.ts';
import { endItem, endOpenBlocks } from './read-item.ts';
import type { StreamState } from './stream-state.ts';

const readMembers: readonly string[] = [
  ...['id', 'object', 'model', 'created_at', 'status', 'output', 'usage', 'error', 'incomplete_details'],
];

/** Reads the fields at the start of a response. Only the first call for a response has an effect. */
export function readStart(state: StreamState, response: JsonObject, events: StreamEvent[]): StreamState {
  if (state.started) return state;
  events.push({
    type: 'message-start',
    format: 'responses',
    ...optional('id', asText(response.id)),
    ...optional('model', asText(response.model)),
    ...optional('createdAt', asNumber(response.created_at)),
  });
  return { ...state, started: true };
}

/**
 * Reads a complete response. Output items are read from the response only if no earlier event contained a
 * complete item. A failed response becomes an error.
 */
export function endResponse(state: StreamState, response: JsonObject, events: StreamEvent[]): StreamState {
  let current = state;
  if (!state.hasItems)
    for (const [index, item] of asList(response.output).entries())
      if (isObject(item)) current = endItem(current, index, item, events);
  current = endOpenBlocks(current, events);
  const raw = asObject(response.usage);
  const usage = raw === undefined ? undefined : parseUsage(raw);
  if (raw !== undefined && usage !== undefined)
    events.push({ type: 'usage', usage, extensions: own.of(raw) });
  if (response.status === 'failed' || asObject(response.error) !== undefined)
    return readError(current, asObject(response.error) ?? {}, events);
  const rest = otherMembers(response, readMembers);
  if (!isEmpty(rest))
    events.push({ type: 'extension', scope: 'answer', choice: 0, extensions: own.of(rest) });
  events.push({ type: 'finish', choice: 0, ...readFinish(response, current.hasCalls) });
  events.push({ type: 'message-end' });
  return { ...current, ended: true };
}

function readFinish(
  response: JsonObject,
  hasCalls: boolean,
): { readonly reason: FinishReason; readonly rawReason: string } {
  const status = asText(response.status) ?? 'completed';
  const detail = asText(asObject(response.incomplete_details)?.reason);
  const rawReason = detail ?? status;
  if (detail === 'max_output_tokens') return { reason: 'length', rawReason };
  if (detail === 'content_filter') return { reason: 'content-filter', rawReason };
  if (status !== 'completed' && status !== 'complete') return { reason: 'other', rawReason };
  return { reason: hasCalls ? 'tool-calls' : 'stop', rawReason };
}

/** Ends a response with an error event. Events after the error event are ignored. */
export function readError(state: StreamState, raw: JsonObject, events: StreamEvent[]): StreamState {
  const { message, type, code } = parseErrorValue(raw);
  const extensions = own.of(raw);
  events.push({ type: 'error', message, errorType: type, ...optional('code', code), extensions });
  return { ...state, ended: true };
}

/**
 * Parses a provider's error body. The body has OpenAI's shape (`{error:{…}}`), the shape `{error:"…",code}`,
 * or the shape `{detail}`. The body may also be plain text.
 */
export function parseError(status: number, body: string): ProviderError {
  const parsed = asObject(parseErrorBody(body)) ?? {};
  const { error, detail } = parsed;
  const inner = asObject(error) ?? { ...parsed, message: asText(error) ?? asText(detail) ?? parsed.message };
  const value = parseErrorValue(inner);
  return {
    ...value,
    message: boundMessage(value.message, status),
    type: value.type || mapStatusToType(status),
  };
}

/**
 * Parses the properties of an error. The value `error` in the field `type` marks an error event and is not an
 * error type.
 */
function parseErrorValue({ message, type, code, param }: JsonObject): ProviderError {
  const errorType = asText(type) ?? '';
  return {
    message: asText(message) ?? '',
    type: errorType === 'error' ? '' : errorType,
    code: typeof code === 'string' || typeof code === 'number' ? String(code) : null,
    param: asText(param) ?? null,
  };
}
