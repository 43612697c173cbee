import { GatewayError } from '@gateway/errors';
import type { Citation, JsonObject, StreamEvent } from '@gateway/interchange';
import { chainSteps } from '../../common/stream-step.ts';
import type { StreamParser } from '../../common/format.ts';
import { parseProviderJson } from '../../json/parse-json.ts';
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
import { parseSseStream } from '../../sse/parse-sse-stream.ts';
import type { SseFrame } from '../../sse/sse-frames.ts';
import type { ReadEvent, StreamState, StreamStep } from './stream-state.ts';
import {
  initialStreamState,
  addText,
  endCalls,
  endText,
  startText,
  emitCallEnd,
  emitExtensions,
} from './stream-state.ts';
import { mapFinishReason, parseUsage } from './response-end.ts';
import { own } from '../shared/own-members.ts';
import { parseArguments, parseCallHead } from '../shared/tool-call.ts';

export function openStreamParser(): StreamParser {
  // A response without `message-end` is truncated, so closing the stream emits no event.
  return parseSseStream({ initial: initialStreamState, parseFrame, endStream: (state) => [state, []] });
}

/** @throws GatewayError `upstream_invalid` for data that is not JSON */
function parseFrame(state: StreamState, { data }: SseFrame): StreamStep {
  const text = data.trim();
  if (text === '' || text === '[DONE]' || state.ended || state.failed) return [state, []];
  const event = parseProviderJson(text);
  return isObject(event) ? readEvent(state, event) : [state, []];
}

const choice = 0;

/**
 * Maximum number of open tool calls. The map of open tool calls is copied for each new tool call. Real
 * responses have far fewer parallel tool calls than the maximum.
 */
const callsMax = 512;

/** The reader for each event type. Events of other types (`citation-end`, `debug`) are skipped. */
const readers: ReadonlyMap<unknown, ReadEvent> = new Map<string, ReadEvent>([
  ['message-start', (state, event) => readStart(state, event)],
  ['content-start', (state, _event, message) => readContentStart(state, asObject(message.content) ?? {})],
  ['content-delta', readContentDelta],
  ['content-end', (state) => endText(state)],
  ['tool-plan-delta', (state, _event, message) => addText(state, plan, asText(message.tool_plan) ?? '')],
  ['tool-call-start', readCallStart],
  ['tool-call-delta', readCallDelta],
  ['tool-call-end', readCallEnd],
  ['citation-start', (state, _event, message) => readCitation(state, asObject(message.citations) ?? {})],
  ['message-end', (state, event) => readEnd(state, asObject(event.delta) ?? {})],
]);

export const plan = { kind: 'thinking', member: 'tool_plan' } as const;

function readEvent(state: StreamState, event: JsonObject): StreamStep {
  const message = asObject(asObject(event.delta)?.message) ?? {};
  return readers.get(event.type)?.(state, event, message) ?? [state, []];
}

export function readStart(state: StreamState, { id }: JsonObject): StreamStep {
  if (state.started) return [state, []];
  return [
    { ...state, started: true },
    [{ type: 'message-start', format: 'cohere', ...optional('id', asText(id)) }],
  ];
}

export function readContentStart(state: StreamState, content: JsonObject): StreamStep {
  const kind = content.type === 'thinking' ? 'thinking' : 'text';
  const text = asText(content[kind]) ?? '';
  const into = { kind, member: 'content' } as const;
  return chainSteps(state, [
    (current) => startText(current, into, otherMembers(content, ['type', kind])),
    (current) => addText(current, into, text),
  ]);
}

function readContentDelta(state: StreamState, event: JsonObject, message: JsonObject): StreamStep {
  const content = asObject(message.content) ?? {};
  const logprobs = asObject(event.logprobs);
  return chainSteps(state, [
    (current) => addText(current, { kind: 'thinking', member: 'content' }, asText(content.thinking) ?? ''),
    (current) => addText(current, { kind: 'text', member: 'content' }, asText(content.text) ?? ''),
    (current) =>
      logprobs === undefined ? [current, []] : emitExtensions(current, 'choice', { logprobs: [logprobs] }),
  ]);
}

function readCallStart(state: StreamState, event: JsonObject, message: JsonObject): StreamStep {
  if (state.calls.size >= callsMax)
    throw new GatewayError('upstream_invalid', { detail: 'the response has too many open tool calls' });
  const [closed, ends] = endText(state);
  const call = asObject(message.tool_calls) ?? {};
  const block = closed.nextBlock;
  const number = asNumber(event.index) ?? block;
  const open = { block, hasArguments: false };
  const started = { ...closed, nextBlock: block + 1, calls: new Map(closed.calls).set(number, open) };
  const [next, deltas] = emitArguments(started, number, parseArguments(call));
  return [next, [...ends, { ...parseCallHead(call), type: 'tool-call-start', choice, block }, ...deltas]];
}

function readCallDelta(state: StreamState, event: JsonObject, message: JsonObject): StreamStep {
  return emitArguments(
    state,
    asNumber(event.index) ?? -1,
    parseArguments(asObject(message.tool_calls) ?? {}),
  );
}

function emitArguments(state: StreamState, number: number, argumentsText: string): StreamStep {
  const call = state.calls.get(number);
  if (call === undefined || argumentsText === '') return [state, []];
  const { block, hasArguments } = call;
  // The map of open tool calls is copied once per call, because a copy per delta would take quadratic time.
  const calls = hasArguments ? state.calls : new Map(state.calls).set(number, { block, hasArguments: true });
  return [{ ...state, calls }, [{ type: 'tool-call-delta', choice, block, argumentsText }]];
}

function readCallEnd(state: StreamState, event: JsonObject): StreamStep {
  const number = asNumber(event.index) ?? -1;
  const call = state.calls.get(number);
  if (call === undefined) return [state, []];
  const calls = new Map(state.calls);
  calls.delete(number);
  return [{ ...state, calls }, emitCallEnd(call)];
}

/**
 * Reads the end of a response, which contains `finish_reason`, `usage`, and `error` if the response failed.
 */
export function readEnd(state: StreamState, delta: JsonObject): StreamStep {
  const rest = otherMembers(delta, ['finish_reason', 'usage', 'error', 'message']);
  const message = asText(delta.error);
  return chainSteps(state, [
    endText,
    endCalls,
    (current) => (isEmpty(rest) ? [current, []] : emitExtensions(current, 'answer', rest)),
    (current) => [current, readUsage(asObject(delta.usage))],
    (current) => (message === undefined ? readFinish(current, delta) : fail(current, message, delta)),
  ]);
}

function readUsage(raw: JsonObject | undefined): StreamEvent[] {
  const usage = raw === undefined ? undefined : parseUsage(raw);
  return raw === undefined || usage === undefined ? [] : [{ type: 'usage', usage, extensions: own.of(raw) }];
}

function readFinish(state: StreamState, { finish_reason: raw }: JsonObject): StreamStep {
  const rawReason = asText(raw);
  if (rawReason === undefined) return [state, []];
  const finish: StreamEvent = { type: 'finish', choice, reason: mapFinishReason(rawReason), rawReason };
  return [{ ...state, ended: true }, [finish, { type: 'message-end' }]];
}

function fail(state: StreamState, message: string, { finish_reason: reason }: JsonObject): StreamStep {
  const error: StreamEvent = {
    type: 'error',
    message,
    errorType: 'api_error',
    ...optional('code', asText(reason)),
  };
  return [{ ...state, failed: true }, [error]];
}

/** Maximum number of sources per citation. */
const sourcesMax = 64;

/**
 * Adds a citation to the open text block. A citation in a plan or reasoning becomes a field of the message.
 */
function readCitation(state: StreamState, raw: JsonObject): StreamStep {
  if (state.open?.kind !== 'text') return emitExtensions(state, 'message', { citations: [raw] });
  const { block } = state.open;
  const events = parseCitation(raw).map((citation): StreamEvent => ({
    type: 'citation',
    choice: 0,
    block,
    citation,
  }));
  return [state, events];
}

/** Parses a citation into one entry per source. The first entry contains the original citation. */
export function parseCitation(raw: JsonObject): Citation[] {
  const sources = asList(raw.sources).filter(isObject).slice(0, sourcesMax).map(parseSource);
  const [first = {}, ...others] = sources;
  return [
    { ...first, extensions: own.of({ citation: raw }) },
    ...others.map((source) => ({ ...source, extensions: own.of({}) })),
  ];
}

/** Parses a citation source, which is a document from the request or a tool result. */
function parseSource(source: JsonObject): Citation {
  const body = asObject(source.document) ?? asObject(source.tool_output) ?? {};
  return {
    ...optional('title', asText(body.title)),
    ...optional('url', asText(body.url)),
    ...optional('citedText', asText(body.text) ?? asText(body.snippet) ?? asText(body.content)),
  };
}
