import type { StreamEvent } from '@gateway/interchange';
import type { StreamParser } from '../../common/format.ts';
import { parseJsonArrayStream } from './json-array-stream.ts';
import { parseProviderJson } from '../../json/parse-json.ts';
import { isObject } from '../../json/read-members.ts';
import { parseSseStream } from '../../sse/parse-sse-stream.ts';
import type { SseFrame } from '../../sse/sse-frames.ts';
import { readChunk, type StreamStep } from './read-chunk.ts';
import { initialStreamState, type StreamState } from './stream-state.ts';

/** One chunk may hold a whole image. Google bounds what a request holds at 20 MB, and says nothing of answers. */
const frameBytesMax = 32 * 1024 * 1024;

/** Reads server-sent events (`alt=sse`), or the list that the API sends without that: its first byte tells. */
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
    : parseSseStream(reducer, { frameBytesMax });
}

function isSpace(byte: number): boolean {
  return byte === 0x20 || (byte >= 0x09 && byte <= 0x0d);
}

/** @throws GatewayError `upstream_invalid` for data that is no JSON. */
function parseFrame(state: StreamState, { data }: SseFrame): StreamStep {
  if (data.trim() === '' || state.failed) return [state, []];
  const chunk = parseProviderJson(data);
  return isObject(chunk) ? readChunk(state, chunk, false) : [state, []];
}

/** The format has no terminator: an answer is whole when each candidate that began has told its finish reason. */
export function endStream(state: StreamState): readonly [StreamState, readonly StreamEvent[]] {
  const candidates = [...state.candidates.values()];
  const isWhole = candidates.length > 0 && candidates.every((candidate) => candidate.finished);
  return [state, isWhole && !state.failed ? [{ type: 'message-end' }] : []];
}
