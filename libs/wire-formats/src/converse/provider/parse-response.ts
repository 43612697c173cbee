import { GatewayError } from '@gateway/errors';
import type { ChatPart, JsonObject, StreamEvent } from '@gateway/interchange';
import { parseExactJson, parseProviderJson } from '../../json/parse-json.ts';
import { asList, asObject, asText, isEmpty, isObject, otherMembers } from '../../json/read-members.ts';
import { parseBlock } from '../blocks/parse-block.ts';
import { own } from '../own.ts';
import { mapStopReason } from '../stop-reasons.ts';
import { parseUsage } from '../token-usage.ts';
import { tellPart } from './tell-part.ts';

const readMembers = ['output', 'stopReason', 'usage'] as const;

/**
 * A plain answer, as the events that a stream of it would have been.
 *
 * @throws GatewayError `upstream_invalid` for what is no JSON object with a message.
 */
export function parseResponse(bytes: Uint8Array): StreamEvent[] {
  const body = asObject(parseProviderJson(bytes, parseExactJson)) ?? {};
  const message = asObject(asObject(body.output)?.message);
  if (message === undefined) return [tellFailure(body)];
  const blocks = asList(message.content).flatMap((raw, block) => tellPart(parseAnswerBlock(raw), block));
  const rest = otherMembers(body, readMembers);
  return [
    { type: 'message-start', format: 'converse' },
    ...tellExtensions('message', otherMembers(message, ['role', 'content'])),
    ...blocks,
    ...tellExtensions('answer', rest),
    ...tellUsage(body.usage),
    ...tellFinish(body.stopReason),
    { type: 'message-end' },
  ];
}

/** A result in an answer is of a call that the provider carried out itself. */
function parseAnswerBlock(raw: unknown): ChatPart {
  const part = parseBlock(raw);
  return part.type === 'tool-result' ? { type: 'opaque', extensions: own.of({ part: raw }) } : part;
}

/** A body without an answer may say why. */
function tellFailure(body: JsonObject): StreamEvent {
  const message = asText(body.message);
  if (message === undefined)
    throw new GatewayError('upstream_invalid', { detail: 'the answer has no message' });
  return { type: 'error', message, extensions: own.of(body) };
}

export function tellExtensions(scope: 'answer' | 'message', members: JsonObject): StreamEvent[] {
  return isEmpty(members) ? [] : [{ type: 'extension', scope, choice: 0, extensions: own.of(members) }];
}

export function tellUsage(raw: unknown): StreamEvent[] {
  const usage = isObject(raw) ? parseUsage(raw) : undefined;
  return usage === undefined ? [] : [{ type: 'usage', usage, extensions: own.of(raw as JsonObject) }];
}

export function tellFinish(raw: unknown): StreamEvent[] {
  const rawReason = asText(raw);
  return rawReason === undefined
    ? []
    : [{ type: 'finish', choice: 0, reason: mapStopReason(rawReason), rawReason }];
}
