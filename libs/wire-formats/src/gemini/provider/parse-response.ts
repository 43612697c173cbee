import { GatewayError } from '@gateway/errors';
import type { StreamEvent } from '@gateway/interchange';
import { parseProviderJson } from '../../json/parse-json.ts';
import { isObject } from '../../json/read-members.ts';
import type { StreamStep } from './read-chunk.ts';
import { readChunk } from './read-chunk.ts';
import type { StreamState } from './stream-state.ts';
import { endCall, initialStreamState } from './stream-state.ts';
import type { StreamParser } from '../../common/format.ts';
import { chainSteps } from '../../common/stream-step.ts';
import { parseJsonArrayStream } from './json-array-stream.ts';
import { parseSseStream } from '../../sse/parse-sse-stream.ts';
import type { SseFrame } from '../../sse/sse-frames.ts';

/**
 * Parses a non-streaming response into the events that the equivalent stream would produce. A JSON list
 * contains the chunks of a stream. Google sends a list if the URL does not request server-sent events.
 * @throws GatewayError `upstream_invalid` for a body that is not a JSON object with candidates
 */
export function parseResponse(bytes: Uint8Array): StreamEvent[] {
  const body = parseProviderJson(bytes);
  if (Array.isArray(body)) return parseList(bytes);
  const isAnswer =
    isObject(body) && ['candidates', 'promptFeedback', 'error'].some((name) => isSet(body[name]));
  if (!isAnswer) throw new GatewayError('upstream_invalid', { detail: 'the response has no candidates' });
  const [state, events] = readChunk(initialStreamState, body, true);
  return [...events, ...endStream(state)[1]];
}

function parseList(bytes: Uint8Array): StreamEvent[] {
  const parser = openStreamParser();
  return [...parser.push(bytes), ...parser.end()];
}

function isSet(value: unknown): boolean {
  return typeof value === 'object' && value !== null;
}

/**
 * Maximum size of a chunk. A chunk can contain a complete image. Google limits requests to 20 MB and
 * documents no limit for responses.
 */
const frameBytesMax = 32 * 1024 * 1024;

/**
 * Parses server-sent events (`alt=sse`) or a JSON list. The first byte distinguishes server-sent events from
 * a JSON list.
 */
export function openStreamParser(): StreamParser {
  let parser: StreamParser | undefined;
  return {
    push(chunk) {
      if (parser === undefined) {
        const first = chunk.find((byte) => !isSpace(byte));
        if (first === undefined) return [];
        parser = openParser(first);
      }
      return parser.push(chunk);
    },
    end: () => parser?.end() ?? [],
  };
}

function openParser(firstByte: number): StreamParser {
  const isJson = firstByte === 0x5b || firstByte === 0x7b;
  const reducer = { initial: initialStreamState, parseFrame, endStream };
  return isJson
    ? parseJsonArrayStream(reducer, { frameBytesMax })
    : parseSseStream(reducer, { frameBytesMax, keepsBareLines: true });
}

function isSpace(byte: number): boolean {
  return byte === 0x20 || (byte >= 0x09 && byte <= 0x0d);
}

/** @throws GatewayError `upstream_invalid` for data that is not JSON */
function parseFrame(state: StreamState, { data }: SseFrame): StreamStep {
  if (data.trim() === '' || state.failed) return [state, []];
  const chunk = parseProviderJson(data);
  // Google's front end can send an error as a list, even inside an event of the stream.
  const chunks = (Array.isArray(chunk) ? chunk : [chunk]).filter(isObject);
  return chainSteps(
    state,
    chunks.map((each) => (current) => (current.failed ? [current, []] : readChunk(current, each, false))),
  );
}

/**
 * A Gemini stream has no last event that marks its end. A response is complete when every candidate has a
 * finish reason. If a candidate has no finish reason, the arguments of its open tool call are emitted here.
 * Earlier deltas do not contain these arguments.
 */
function endStream(state: StreamState): StreamStep {
  const candidates = [...state.candidates.values()];
  const isWhole = candidates.length > 0 && candidates.every((candidate) => candidate.finished);
  if (state.failed) return [state, []];
  return [state, isWhole ? [{ type: 'message-end' }] : candidates.flatMap((each) => endCall(each)[1])];
}
