import { GatewayError } from '@gateway/errors';
import type { StreamEvent } from '@gateway/interchange';
import type { ClientWireFormat, StreamParser } from '../common/format.ts';
import type { Step } from '../common/stream-step.ts';
import { parseProviderJson } from '../json/parse-json.ts';
import { isObject } from '../json/read-members.ts';
import { parseSseStream } from '../sse/parse-sse-stream.ts';
import type { SseFrame } from '../sse/sse-frames.ts';
import { listCalls, listContext, listFoundTools, outlineRequest } from './client/outline-request.ts';
import { toolDefinitions } from './client/outline-tools.ts';
import { parseRequest } from './client/parse-request.ts';
import { renderError, renderStreamError } from './client/render-error.ts';
import { renderResponse } from './client/render-response.ts';
import { ResponseStream } from './client/render-stream.ts';
import { editRequest } from './edit-request.ts';
import { readEvent } from './provider/read-event.ts';
import { endResponse, parseError, readStart } from './provider/read-response.ts';
import { renderRequest } from './provider/render-request.ts';
import { initialStreamState, type StreamState } from './provider/stream-state.ts';
import { toolNamePattern } from './shared/tools.ts';

/**
 * Maximum length of a stream event in bytes. The last event repeats the whole response, including generated
 * images.
 */
export const responsesEventBytesMax = 64 * 1024 * 1024;

/** The format of OpenAI's Responses API. OpenAI's newer models accept tools only in the Responses API. */
export const responses: ClientWireFormat = {
  name: 'responses',
  client: {
    contentType: 'application/json; charset=utf-8',
    streamContentType: 'text/event-stream; charset=utf-8',
    framing: 'sse',
    requestIdHeader: null,
    carriesReasoning: true,
    joinsTexts: false,
    joinsResponses: true,
    outlineRequest,
    listContext,
    toolDefinitions,
    requestsStreamedUsage: () => true,
    listCalls,
    listFoundTools,
    parseRequest,
    renderResponse,
    openStreamRenderer: (options) => new ResponseStream(options),
    renderError,
    renderStreamError,
  },
  spellings: ['item', 'isJoined', 'isInstructions', 'content', 'input', 'reasoning'],
  takesGrammars: true,
  adoptedMembers: {
    'chat-completions': [
      ...['metadata', 'moderation', 'prompt_cache_key', 'prompt_cache_options', 'prompt_cache_retention'],
      ...['safety_identifier', 'service_tier', 'store', 'verbosity'],
    ],
  },
  provider: {
    toolNamePattern,
    finishedReason: 'completed',
    renderRequest,
    parseResponse,
    openStreamParser,
    parseError,
  },
  editRequest,
};

function openStreamParser(): StreamParser {
  return parseSseStream(
    { initial: initialStreamState, parseFrame, endStream },
    { frameBytesMax: responsesEventBytesMax },
  );
}

/**
 * Parses a non-streaming response into the events that the equivalent stream would produce.
 * @throws GatewayError `upstream_invalid` when the body is not a JSON object with output or an error.
 */
function parseResponse(bytes: Uint8Array): StreamEvent[] {
  const body = parseProviderJson(bytes);
  if (!isObject(body) || !(Array.isArray(body.output) || isObject(body.error)))
    throw new GatewayError('upstream_invalid', { detail: 'the response has no output' });
  const events: StreamEvent[] = [];
  endResponse(readStart(initialStreamState, body, events), body, events);
  return events;
}

/** @throws GatewayError `upstream_invalid` when the data is not JSON. */
function parseFrame(state: StreamState, { data }: SseFrame): Step<StreamState> {
  const text = data.trim();
  if (text === '' || text === '[DONE]' || state.ended) return [state, []];
  const events: StreamEvent[] = [];
  const raw = parseProviderJson(text);
  return [isObject(raw) ? readEvent(state, raw, events) : state, events];
}

/**
 * Handles the end of a stream. A stream without a final event is truncated, so no
 * event is emitted.
 */
function endStream(state: StreamState): Step<StreamState> {
  return [state, []];
}
