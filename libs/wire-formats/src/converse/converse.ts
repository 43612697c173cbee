import { parseEventStream } from '../event-stream/parse-event-stream.ts';
import type { ClientWireFormat, StreamRenderer } from '../common/format.ts';
import { listContext, listCalls, toolDefinitions } from './client/list-parts.ts';
import { outlineRequest } from './client/outline-request.ts';
import { parseRequest } from './client/parse-request.ts';
import { renderError, renderResponse } from './client/render-response.ts';
import { renderStreamError, encodeFrame } from './client/stream-frames.ts';
import { initialStreamRender, renderStreamEvent } from './client/render-stream.ts';
import { editRequest } from './edit-request.ts';
import { parseError, parseResponse } from './provider/parse-response.ts';
import { endStream, parseMessage } from './provider/parse-stream.ts';
import { renderRequest } from './provider/render-request.ts';
import { initialStreamState } from './provider/stream-state.ts';

/** Pattern for tool names, from `ToolSpecification.name` in the Amazon Bedrock API reference. */
const toolNamePattern = /^[\w-]{1,64}$/;

/**
 * Claude models accept cache checkpoints after tools. Models other than Claude accept cache checkpoints only
 * in `system` and `messages` (Amazon Bedrock user guide, "Prompt caching").
 */
const claude = /claude/;

/**
 * The Converse API of Amazon Bedrock's runtime. Streams of the Converse API are binary. The URL contains the
 * model name and selects streaming.
 */
export const converse: ClientWireFormat = {
  name: 'converse',
  spellings: ['spelling'],
  client: {
    contentType: 'application/json',
    streamContentType: 'application/vnd.amazon.eventstream',
    framing: 'event-stream',
    requestIdHeader: 'x-amzn-requestid',
    carriesReasoning: true,
    joinsTexts: false,
    outlineRequest,
    listContext,
    toolDefinitions,
    requestsStreamedUsage: () => true,
    listCalls,
    parseRequest,
    renderResponse,
    openStreamRenderer,
    renderError,
    renderStreamError: (error) => encodeFrame(renderStreamError(error)),
  },
  provider: {
    toolNamePattern,
    finishedReason: 'end_turn',
    cacheMarkers: { markersMax: 4, marksTools: (model) => claude.test(model) },
    renderRequest,
    parseResponse,
    openStreamParser: () => parseEventStream({ initial: initialStreamState, parseMessage, endStream }),
    parseError,
  },
  editRequest,
};

function openStreamRenderer(): StreamRenderer {
  const openedAt = performance.now();
  let state = initialStreamRender;
  return {
    render(event) {
      const [next, frames] = renderStreamEvent(state, event, performance.now() - openedAt);
      state = next;
      return Buffer.concat(frames.map(encodeFrame));
    },
  };
}
