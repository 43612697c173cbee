import type {
  ClientWireFormat,
  StreamParser,
  StreamRenderer,
  StreamRenderOptions,
} from '../common/format.ts';
import { encodeSse } from '../sse/sse-frames.ts';
import { parseSseStream } from '../sse/parse-sse-stream.ts';
import { BlockQueue } from './client/block-queue.ts';
import { listContext, listCalls, listFoundTools } from './client/outline-messages.ts';
import { outlineRequest } from './client/outline-request.ts';
import { parseRequest } from './client/parse-request.ts';
import { renderError, renderStreamError } from './client/render-error.ts';
import { renderResponse } from './client/render-response.ts';
import { renderStreamEvent } from './client/render-stream.ts';
import { beginStreamRender } from './client/stream-blocks.ts';
import { toolDefinitions } from './client/outline-tools.ts';
import { editRequest } from './edit-request.ts';
import { parseError, parseResponse, endStream, parseFrame } from './provider/parse-response.ts';
import { chooseMessagesVersion, renderRequest } from './provider/render-request.ts';
import { initialStreamState } from './provider/stream-state.ts';

/**
 * Maximum number of bytes in a stream event. A server tool's result is sent as a single event and may contain
 * a base64-encoded document.
 */
const frameBytesMax = 8 * 1_048_576;

/** Pattern for tool names, from Anthropic's API reference, `tools[].name`. */
const toolNamePattern = /^[\w-]{1,128}$/;

/** The format of Anthropic's Messages API. */
export const messages: ClientWireFormat = {
  name: 'messages',
  client: {
    contentType: 'application/json; charset=utf-8',
    streamContentType: 'text/event-stream; charset=utf-8',
    framing: 'sse',
    requestIdHeader: 'request-id',
    carriesReasoning: true,
    joinsTexts: false,
    outlineRequest,
    listContext,
    toolDefinitions,
    requestsStreamedUsage: () => true,
    listCalls,
    listFoundTools,
    parseRequest,
    renderResponse,
    openStreamRenderer,
    renderError,
    renderStreamError: (error, requestId) => encodeSse(renderStreamError(error, requestId)),
  },
  spellings: ['spelling', 'output_format'],
  provider: {
    toolNamePattern,
    finishedReason: 'end_turn',
    // A request can have at most four cache breakpoints (Anthropic, "Prompt caching").
    cacheMarkers: { markersMax: 4, marksTools: () => true },
    chooseApiVersion: chooseMessagesVersion,
    renderRequest,
    parseResponse,
    openStreamParser,
    parseError,
  },
  editRequest,
};

function openStreamRenderer(options: StreamRenderOptions): StreamRenderer {
  let state = beginStreamRender(options);
  const queue = new BlockQueue();
  return {
    render(event) {
      let text = '';
      for (const ready of queue.push(event)) {
        const [next, frames] = renderStreamEvent(state, ready);
        state = next;
        text += frames.map(encodeSse).join('');
      }
      return text;
    },
  };
}

function openStreamParser(): StreamParser {
  return parseSseStream({ initial: initialStreamState, parseFrame, endStream }, { frameBytesMax });
}
