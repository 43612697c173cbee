import { Readable } from 'node:stream';
import fastify, { type FastifyInstance } from 'fastify';
import { chooseAnswer } from './chat/choose-answer.ts';
import { parseChatRequest } from './chat/chat-request.ts';
import { ProviderError, renderError } from './chat/provider-error.ts';
import { renderCompletion, renderStream } from './chat/render-answer.ts';
import { parseEmbeddingRequest, renderEmbeddings } from './embeddings.ts';

/** The only model that the sandbox provider offers. */
export const modelId = 'sandbox-1';
/** The creation time of the model in responses, 2025-01-01. */
const modelCreatedAt = 1_735_689_600;
const model = { id: modelId, object: 'model', created: modelCreatedAt, owned_by: 'sandbox' };

const bodyBytesMax = 64 * 1024 * 1024;

/**
 * A chat completions provider that needs no API key. Each response depends only on the request, except for
 * `created`, which is taken from `nowMs` (Unix time in milliseconds).
 */
export function createSandbox(nowMs: () => number = Date.now): FastifyInstance {
  const app = fastify({ bodyLimit: bodyBytesMax, forceCloseConnections: 'idle', exposeHeadRoutes: false });
  readJson(app);
  renderErrors(app);
  app.get('/v1/models', () => ({ object: 'list', data: [model] }));
  app.get<{ Params: { id: string } }>('/v1/models/:id', ({ params }) => {
    requireModel(params.id);
    return model;
  });
  app.post('/v1/chat/completions', (incoming, reply) => {
    const request = parseChatRequest(incoming.body);
    requireModel(request.model);
    const answer = chooseAnswer(request);
    const createdAt = Math.floor(nowMs() / 1000);
    if (!request.stream) return renderCompletion(request, answer, createdAt);
    return reply
      .header('content-type', 'text/event-stream; charset=utf-8')
      .header('cache-control', 'no-cache')
      .send(Readable.from(renderStream(request, answer, createdAt)));
  });
  app.post('/v1/embeddings', (incoming) => {
    const request = parseEmbeddingRequest(incoming.body);
    requireModel(request.model);
    return renderEmbeddings(request);
  });
  return app;
}

function readJson(app: FastifyInstance): void {
  app.removeAllContentTypeParsers();
  app.addContentTypeParser('application/json', { parseAs: 'string' }, (_request, body, done) => {
    try {
      done(null, JSON.parse(body as string));
    } catch {
      done(new ProviderError(400, 'We could not parse the JSON body of your request.'));
    }
  });
}

function renderErrors(app: FastifyInstance): void {
  app.setErrorHandler((error, _request, reply) => {
    const { status, body } = renderError(error);
    return reply.status(status).send(body);
  });
  app.setNotFoundHandler((request) => {
    throw new ProviderError(404, `Unknown request URL: ${request.method} ${request.url}.`, {
      code: 'unknown_url',
    });
  });
}

function requireModel(id: string): void {
  if (id === modelId) return;
  throw new ProviderError(404, `The model \`${id}\` does not exist.`, {
    code: 'model_not_found',
    param: 'model',
  });
}
