import { GatewayError } from '@gateway/errors';
import type { JsonObject, ProviderError, StreamEvent } from '@gateway/interchange';
import { chainSteps } from '../../common/stream-step.ts';
import { parseProviderJson } from '../../json/parse-json.ts';
import {
  asList,
  asNumber,
  asObject,
  asText,
  isEmpty,
  isObject,
  otherMembers,
} from '../../json/read-members.ts';
import { parseArguments, parseCallHead } from '../shared/tool-call.ts';
import { own } from '../shared/own-members.ts';
import { parseCitation, plan, readContentStart, readEnd, readStart } from './parse-stream.ts';
import { addText, endText, emitExtensions, initialStreamState } from './stream-state.ts';
import type { StreamState, StreamStep } from './stream-state.ts';
import { boundMessage, mapStatusToType, parseErrorBody } from '../../common/provider-error.ts';

/**
 * Parses a non-streaming response into the events that the equivalent stream would produce.
 *
 * @throws GatewayError `upstream_invalid` for a body that is not a JSON object with a message
 */
export function parseResponse(bytes: Uint8Array): StreamEvent[] {
  const body = parseProviderJson(bytes);
  const message = isObject(body) ? asObject(body.message) : undefined;
  if (!isObject(body) || message === undefined)
    throw new GatewayError('upstream_invalid', { detail: 'the response has no message' });
  const contents = asList(message.content);
  const { cited, uncited } = sortCitations(message, contents);
  const rest = {
    ...otherMembers(message, ['role', 'content', 'tool_plan', 'tool_calls', 'citations']),
    ...(uncited.length === 0 ? {} : { citations: uncited }),
  };
  const [, events] = chainSteps(initialStreamState, [
    (state) => readStart(state, body),
    (state) => addText(state, plan, asText(message.tool_plan) ?? ''),
    ...contents.map((part, index) => (state: StreamState) => readPart(state, part, cited.get(index) ?? [])),
    endText,
    ...asList(message.tool_calls)
      .filter(isObject)
      .map((raw) => (state: StreamState) => readCall(state, raw)),
    (state) => (isEmpty(rest) ? [state, []] : emitExtensions(state, 'message', rest)),
    (state) => readEnd(state, otherMembers(body, ['id', 'message'])),
  ]);
  return [...events];
}

/** Groups citations by content index. Citations that match no text remain part of the message. */
function sortCitations(
  message: JsonObject,
  contents: readonly unknown[],
): { cited: ReadonlyMap<number, JsonObject[]>; uncited: JsonObject[] } {
  const isText = (index: number): boolean => asObject(contents[index])?.type === 'text';
  const firstText = contents.findIndex((_, index) => isText(index));
  const cited = new Map<number, JsonObject[]>();
  const uncited: JsonObject[] = [];
  for (const citation of asList(message.citations).filter(isObject)) {
    const index = asNumber(citation.content_index) ?? firstText;
    if (isText(index)) cited.set(index, [...(cited.get(index) ?? []), citation]);
    else uncited.push(citation);
  }
  return { cited, uncited };
}

function readPart(state: StreamState, raw: unknown, citations: readonly JsonObject[]): StreamStep {
  const part = asObject(raw);
  if (part?.type !== 'text' && part?.type !== 'thinking') return readOpaque(state, raw);
  return chainSteps(state, [
    (current) => readContentStart(current, part),
    (current) => [
      current,
      citations.flatMap(parseCitation).map((citation): StreamEvent => ({
        type: 'citation',
        choice: 0,
        block: current.open?.block ?? 0,
        citation,
      })),
    ],
    endText,
  ]);
}

function readOpaque(state: StreamState, raw: unknown): StreamStep {
  const [closed, ends] = endText(state);
  const part = { type: 'opaque', extensions: own.of({ part: raw }) } as const;
  const event: StreamEvent = { type: 'part', choice: 0, block: closed.nextBlock, part };
  return [{ ...closed, nextBlock: closed.nextBlock + 1 }, [...ends, event]];
}

function readCall(state: StreamState, raw: JsonObject): StreamStep {
  const place = { choice: 0, block: state.nextBlock };
  return [
    { ...state, nextBlock: state.nextBlock + 1 },
    [
      { ...parseCallHead(raw), type: 'tool-call-start', ...place },
      { type: 'tool-call-delta', ...place, argumentsText: parseArguments(raw) || '{}' },
      { type: 'tool-call-end', ...place },
    ],
  ];
}

/** Parses an error body, which is Cohere's `{id, message, error_type}` or plain text. */
export function parseError(status: number, body: string): ProviderError {
  const error = asObject(parseErrorBody(body)) ?? {};
  return {
    message: boundMessage(asText(error.message), status),
    type: mapStatusToType(status),
    code: asText(error.error_type) ?? null,
    param: null,
  };
}
