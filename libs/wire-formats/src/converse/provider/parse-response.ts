import { GatewayError } from '@gateway/errors';
import type { ChatPart, JsonObject, ProviderError, StreamEvent } from '@gateway/interchange';
import { parseExactJson, parseProviderJson } from '../../json/parse-json.ts';
import { asList, asObject, asText, isEmpty, isObject, otherMembers } from '../../json/read-members.ts';
import { parseBlock } from '../shared/parse-block.ts';
import { own } from '../shared/own-members.ts';
import { mapStopReason, parseUsage } from '../shared/response-end.ts';
import type { AnswerHeaders } from '../../common/format.ts';
import { boundMessage, mapStatusToType, parseErrorBody } from '../../common/provider-error.ts';
import { mapExceptionToType } from '../shared/exceptions.ts';

const readMembers = ['output', 'stopReason', 'usage'] as const;

/**
 * Parses a non-streaming response into the events that the equivalent stream would produce.
 *
 * @throws GatewayError `upstream_invalid` for a body that is not a JSON object with a message
 */
export function parseResponse(bytes: Uint8Array): StreamEvent[] {
  const body = asObject(parseProviderJson(bytes, parseExactJson)) ?? {};
  const message = asObject(asObject(body.output)?.message);
  if (message === undefined) return [emitFailure(body)];
  const blocks = asList(message.content).flatMap((raw, block) => emitPart(parseAnswerBlock(raw), block));
  const rest = otherMembers(body, readMembers);
  return [
    { type: 'message-start', format: 'converse' },
    ...emitExtensions('message', otherMembers(message, ['role', 'content'])),
    ...blocks,
    ...emitExtensions('answer', rest),
    ...emitUsage(body.usage),
    ...emitFinish(body.stopReason),
    { type: 'message-end' },
  ];
}

/** A tool result in a response comes from a server tool, so the tool result stays opaque. */
function parseAnswerBlock(raw: unknown): ChatPart {
  const part = parseBlock(raw);
  return part.type === 'tool-result' ? { type: 'opaque', extensions: own.of({ part: raw }) } : part;
}

/** A body without a response may contain an error message. */
function emitFailure(body: JsonObject): StreamEvent {
  const message = asText(body.message);
  if (message === undefined)
    throw new GatewayError('upstream_invalid', { detail: 'the response has no message' });
  return { type: 'error', message, extensions: own.of(body) };
}

export function emitExtensions(scope: 'answer' | 'message', members: JsonObject): StreamEvent[] {
  return isEmpty(members) ? [] : [{ type: 'extension', scope, choice: 0, extensions: own.of(members) }];
}

export function emitUsage(raw: unknown): StreamEvent[] {
  const usage = isObject(raw) ? parseUsage(raw) : undefined;
  return usage === undefined ? [] : [{ type: 'usage', usage, extensions: own.of(raw as JsonObject) }];
}

export function emitFinish(raw: unknown): StreamEvent[] {
  const rawReason = asText(raw);
  return rawReason === undefined
    ? []
    : [{ type: 'finish', choice: 0, reason: mapStopReason(rawReason), rawReason }];
}

/** Lists the stream events for a complete message part. */
export function emitPart(part: ChatPart, block: number): StreamEvent[] {
  const place = { choice: 0, block };
  const extensions = part.extensions === undefined ? {} : { extensions: part.extensions };
  switch (part.type) {
    case 'text':
      return [
        { type: 'text-start', ...place, ...extensions },
        ...(part.text === '' ? [] : [{ type: 'text-delta', ...place, text: part.text } as const]),
        ...(part.citations ?? []).map((citation) => ({ type: 'citation', ...place, citation }) as const),
        { type: 'text-end', ...place },
      ];
    case 'thinking': {
      const signature = part.signature === undefined ? {} : { signature: part.signature };
      const redacted = part.redacted === undefined ? {} : { redacted: part.redacted };
      return [
        { type: 'thinking-start', ...place, ...extensions },
        ...(part.text === '' ? [] : [{ type: 'thinking-delta', ...place, text: part.text } as const]),
        { type: 'thinking-end', ...place, ...signature, ...redacted },
      ];
    }
    case 'tool-call':
      return [
        { type: 'tool-call-start', ...place, id: part.id, name: part.name, kind: part.kind, ...extensions },
        { type: 'tool-call-delta', ...place, argumentsText: part.argumentsText },
        { type: 'tool-call-end', ...place },
      ];
    case 'image':
    case 'document':
    case 'audio':
    case 'opaque':
      return [{ type: 'part', ...place, part }];
    // Tool results were parsed as opaque parts, so responses contain no tool results.
    // Responses contain no refusals, because `parseBlock` returns no refusals.
    case 'tool-result':
    case 'refusal':
      return [];
  }
}

/**
 * Parses an error response. The exception name is in the header `x-amzn-errortype` or in the body's field
 * `__type`. The exception name may be followed by a URL (`ValidationException:http://…`). The exception name
 * may be preceded by a namespace (`com.amazon.coral.service#AccessDeniedException`).
 */
export function parseError(status: number, body: string, headers: AnswerHeaders = {}): ProviderError {
  const parsed = asObject(parseErrorBody(body)) ?? {};
  const header = headers['x-amzn-errortype'];
  const name =
    readName(asText(header) ?? asList(header)[0]) ?? readName(parsed.__type) ?? readName(parsed.code);
  return {
    message: boundMessage(asText(parsed.message) ?? asText(parsed.Message), status),
    type: (name === undefined ? undefined : mapExceptionToType(name)) ?? mapStatusToType(status),
    code: name ?? null,
    param: null,
  };
}

function readName(raw: unknown): string | undefined {
  const name = asText(raw)?.split(':', 1)[0]?.split('#').at(-1)?.trim();
  return name === '' ? undefined : name;
}
