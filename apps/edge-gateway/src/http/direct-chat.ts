import type { IncomingMessage, RequestListener } from 'node:http';
import { toGatewayError } from '@gateway/errors';
import type { PipelineServices } from '../pipeline/services.ts';
import {
  chatCompletionsEndpoint,
  messagesEndpoint,
  serveRaw,
  type ChatEndpoint,
  type RawRequest,
} from '../routes/chat/serve-chat.ts';
import { newRequestId } from './request-id.ts';

export const directEndpoints: ReadonlyMap<string, ChatEndpoint> = new Map(
  [chatCompletionsEndpoint, messagesEndpoint].map((endpoint) => [endpoint.path, endpoint]),
);

/**
 * Serves common chat requests without the framework: they call the same function as their route. For them, framework and
 * router only cost time (a tenth of the work for a plain request), because the pipeline authenticates. A request in any
 * other form takes its route.
 */
export class DirectChat {
  readonly #services: PipelineServices;
  #isClosing = false;

  constructor(services: PipelineServices) {
    this.#services = services;
  }

  /** @param serveRouted serves all other requests. */
  before(serveRouted: RequestListener): RequestListener {
    return (request, response) => {
      const endpoint = this.#isClosing ? undefined : directEndpoint(request);
      if (endpoint === undefined) serveRouted(request, response);
      else void this.#serve({ requestId: newRequestId(), request, response }, endpoint);
    };
  }

  /** While the server closes, the framework rejects further requests. */
  close(): void {
    this.#isClosing = true;
  }

  async #serve(raw: RawRequest, endpoint: ChatEndpoint): Promise<void> {
    try {
      await serveRaw(raw, endpoint, this.#services);
    } catch (thrown) {
      // The pipeline never throws, so this is a defect. It is logged like the defect of a route.
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
