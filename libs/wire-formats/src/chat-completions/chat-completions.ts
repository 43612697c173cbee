import type { StreamRenderer, StreamParser, ClientWireFormat } from '../common/format.ts';
import { encodeSse } from '../sse/sse-frames.ts';
import { parseSseStream } from '../sse/parse-sse-stream.ts';
import { listContext, listCalls } from './client/outline-messages.ts';
import { outlineRequest, requestsStreamedUsage } from './client/outline-request.ts';
import { parseRequest } from './client/parse-request.ts';
import { renderError, renderStreamError } from './client/render-error.ts';
import { renderResponse } from './client/render-response.ts';
import { beginStreamRender, renderStreamEvent } from './client/render-stream.ts';
import { toolDefinitions } from './client/outline-tools.ts';
import { editRequest } from './edit-request.ts';
import { parseError } from './provider/parse-error.ts';
import { parseResponse, endStream, parseFrame } from './provider/parse-response.ts';
import { renderRequest } from './provider/render-request.ts';
import { initialStreamState } from './provider/stream-state.ts';

/**
 * Pattern for tool names, from OpenAI's API reference, `tools[].function.name`. Compatible providers accept
 * the same names.
 */
const toolNamePattern = /^[\w-]{1,64}$/;

/** The format of OpenAI's Chat Completions API. Most providers support the chat completions format. */
export const chatCompletions: ClientWireFormat = {
  name: 'chat-completions',
  client: {
    contentType: 'application/json; charset=utf-8',
    streamContentType: 'text/event-stream; charset=utf-8',
    framing: 'sse',
    requestIdHeader: null,
    carriesReasoning: false,
    joinsTexts: true,
    outlineRequest,
    listContext,
    toolDefinitions,
    requestsStreamedUsage,
    listCalls,
    parseRequest,
    renderResponse,
    openStreamRenderer,
    renderError,
    renderStreamError: (error, requestId) => encodeSse(renderStreamError(error, requestId)),
  },
  takesGrammars: true,
  spellings: [
    'content',
    'role',
    'cache_control',
    'field',
    'max_tokens',
    'max_completion_tokens',
    'top_k',
    'random_seed',
    'stream_options',
    'extra_content',
  ],
  provider: {
    toolNamePattern,
    finishedReason: 'stop',
    renderRequest,
    parseResponse,
    openStreamParser,
    parseError,
  },
  editRequest,
};

function openStreamRenderer(options: Parameters<typeof beginStreamRender>[0]): StreamRenderer {
  let state = beginStreamRender(options);
  return {
    render(event) {
      const [next, frames] = renderStreamEvent(state, event);
      state = next;
      return frames.map(encodeSse).join('');
    },
  };
}

function openStreamParser(): StreamParser {
  return parseSseStream({ initial: initialStreamState, parseFrame, endStream });
}
