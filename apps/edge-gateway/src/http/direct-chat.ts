import type { IncomingMessage, RequestListener } from 'node:http';
import { toGatewayError } from '@gateway/errors';
import type { PipelineServices } from '../pipeline/services.ts';
import { newRequestId } from './request-id.ts';
import { serveRaw, type ChatEndpoint, type RawRequest } from './serve-chat.ts';

/** The chat endpoints whose requests name their model in the body. */
export const chatCompletionsEndpoint = {
  path: '/v1/chat/completions',
  format: 'chat-completions',
} as const satisfies ChatEndpoint;
export const messagesEndpoint = { path: '/v1/messages', format: 'messages' } as const satisfies ChatEndpoint;

export const directEndpoints: ReadonlyMap<string, ChatEndpoint> = new Map(
  [chatCompletionsEndpoint, messagesEndpoint].map((endpoint) => [endpoint.path, endpoint]),
);

/**
 * Chat requests as nearly all of them come go straight to what their route would call. On the way there framework and
 * router only let them through, a tenth of what the gateway does for a plain request: their guard leaves it to the
 * pipeline to ask for a key. Anything spelled in another way goes by its route.
 */
export class DirectChat {
  readonly #services: PipelineServices;
  #isClosing = false;

  constructor(services: PipelineServices) {
    this.#services = services;
  }

  /** @param serveRouted serves all that does not go directly. */
  before(serveRouted: RequestListener): RequestListener {
    return (request, response) => {
      const endpoint = this.#isClosing ? undefined : directEndpoint(request);
      if (endpoint === undefined) serveRouted(request, response);
      else void this.#serve({ requestId: newRequestId(), request, response }, endpoint);
    };
  }

  /** Who still comes when the server closes is refused by the framework. */
  close(): void {
    this.#isClosing = true;
  }

  async #serve(raw: RawRequest, endpoint: ChatEndpoint): Promise<void> {
    try {
      await serveRaw(raw, endpoint, this.#services);
    } catch (thrown) {
      // The pipeline answers whatever becomes of a request: this is a defect, and is told as one of a route is.
      const { code, detail } = toGatewayError(thrown);
      this.#services.log.error({ err: thrown, request_id: raw.requestId, code, detail }, 'route failed');
    }
  }
}

function directEndpoint({
  url,
  method,
  headers,
  httpVersionMajor,
}: IncomingMessage): ChatEndpoint | undefined {
  if (method !== 'POST' || httpVersionMajor !== 1) return undefined;
  return headers['content-type'] === 'application/json' ? directEndpoints.get(url ?? '') : undefined;
}
