import type { RequestListener } from 'node:http';
import { GatewayError } from '@gateway/errors';
import type { ClientFormat } from '@gateway/interchange';
import { createScope, runInScope, type Logger } from '@gateway/observability';
import type { DynamicModule } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import { FastifyAdapter } from '@nestjs/platform-fastify';
import { nestLogger } from '@gateway/messaging/nest-transport';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { answerConnectionError } from './connection-limits.ts';
import type { DirectChat } from './direct-chat.ts';
import type { Listener, TlsIdentity } from './listener.ts';
import { createListener } from './listener.ts';
import { loopHeader } from '../loops/loop-guard.ts';
import { findNearest } from '../request/find-nearest.ts';
import { formatOfPath, renderError } from '../request/http-response.ts';
import { newRequestId } from './request-id.ts';

export interface ServerOptions {
  /** The TLS certificate and key. Without a TLS certificate, the port uses plain text. */
  readonly tls: TlsIdentity | undefined;
  /** CIDRs of the trusted proxies. The gateway accepts the client address and the TLS state from trusted proxies. */
  readonly trustedProxies: readonly string[];
  /** Serves common chat requests without the router. */
  readonly direct: DirectChat;
  /**
   * Returns whether the gateway itself sent a request, based on the request's `CDN-Loop` header. Requests from the
   * gateway itself are rejected.
   */
  readonly isLoop: (header: string | string[] | undefined, requestId: string) => boolean;
}

/**
 * The gateway's HTTP server. A request body is read only when its route needs the body. Clients without an API key
 * or above their rate limit cannot make the server buffer a body.
 */
export async function createServer(
  module: DynamicModule,
  log: Logger,
  { tls, trustedProxies, direct, isLoop }: ServerOptions,
): Promise<NestFastifyApplication> {
  let listener: Listener | undefined;
  const adapter = new FastifyAdapter({
    // The gateway uses no Express middleware, and a middleware chain would add time to every request.
    skipMiddie: true,
    genReqId: newRequestId,
    serverFactory: (serveRequest: RequestListener) => {
      listener = createListener(direct.before(serveRequest), tls);
      return listener.server;
    },
    exposeHeadRoutes: false,
    trustProxy: trustedProxies.length > 0 && [...trustedProxies],
    routerOptions: { maxParamLength: 1024 },
    forceCloseConnections: 'idle',
    clientErrorHandler: answerConnectionError,
    frameworkErrors: answerBadPath,
  });
  // eslint-disable-next-line @typescript-eslint/no-unsafe-class-instance-assignment -- Nest types its options as a class that it does not export, and its documented form is a plain object
  const app = await NestFactory.create<NestFastifyApplication>(module, adapter, {
    bodyParser: false,
    logger: nestLogger(log),
    abortOnError: false,
  });
  const fastify = adapter.getInstance();
  openScopes(fastify);
  leaveBodies(fastify);
  rejectLoops(fastify, isLoop);
  fastify.addHook('preClose', (done) => {
    direct.close();
    listener?.drain();
    done();
  });
  answerOtherMethods(fastify);
  return app;
}

/** Responds with 404 to a path with invalid percent-encoding, because no route matches such a path. */
function answerBadPath(_error: Error, request: FastifyRequest, reply: FastifyReply): void {
  answerError(new GatewayError('not_found'), request.id, reply);
}

/** Gives each request a scope with one time budget for all calls to other services. */
function openScopes(fastify: FastifyInstance): void {
  fastify.addHook('onRequest', (_request, _reply, done) => runInScope(createScope(), done));
}

function leaveBodies(fastify: FastifyInstance): void {
  fastify.removeAllContentTypeParsers();
  fastify.addContentTypeParser('*', (_request, payload, done) => done(null, payload));
}

/** Rejects requests that the gateway itself sent, on every route and before any further processing. */
function rejectLoops(fastify: FastifyInstance, isLoop: ServerOptions['isLoop']): void {
  fastify.addHook('onRequest', (request, reply, done) => {
    if (!isLoop(request.headers[loopHeader], request.id)) done();
    else answerError(new GatewayError('request_loop'), request.id, reply, formatOfPath(request.url));
  });
}

/**
 * Adds a HEAD route for each page (GET path outside `/v1`), because link checkers and `curl -I` send HEAD. The routes
 * of the API have no HEAD, so that a request without a body cannot compute a large response.
 */
function answerHead(fastify: FastifyInstance): void {
  fastify.addHook('onRoute', (route) => {
    if (route.method === 'GET' && !route.url.startsWith('/v1/')) fastify.route({ ...route, method: 'HEAD' });
  });
}

/**
 * Adds the request id to every response. The response has status 405 if the path exists, but does not support
 * the request's method. Pages also support HEAD.
 */
function answerOtherMethods(fastify: FastifyInstance): void {
  answerHead(fastify);
  const routes = new RouteMethods();
  fastify.addHook('onRoute', ({ method, url }) => routes.note([method].flat(), url));
  fastify.addHook('onRequest', (request, reply, done) => {
    reply.header('x-request-id', request.id);
    if (request.is404) {
      const path = request.url.split('?', 1)[0] ?? '';
      const methods = routes.methodsOf(path);
      if (methods.length > 0) reply.header('allow', methods.join(', '));
      answerError(explainNoRoute({ method: request.method, path }, methods, routes), request.id, reply);
      return;
    }
    done();
  });
}

function answerError(
  error: GatewayError,
  requestId: string,
  reply: FastifyReply,
  format: ClientFormat = 'chat-completions',
): void {
  const { status, headers, body } = renderError(error, requestId, format);
  void reply.status(status).headers(headers).send(body);
}

/** Returns a 405 that lists the path's methods, or a 404 that suggests a known path with a similar spelling. */
function explainNoRoute(
  { method, path }: { readonly method: string; readonly path: string },
  methods: readonly string[],
  routes: RouteMethods,
): GatewayError {
  if (methods.length > 0)
    return new GatewayError('method_not_allowed', {
      message: `This path does not support this method. Use ${methods.join(' or ')}.`,
    });
  const suggestion = routes.suggest(path);
  const hint = suggestion === undefined ? '' : ` Did you mean ${suggestion}?`;
  const place = path.length > pathCharsMax ? 'at this path' : `${method} ${path}`;
  const message = `There is no endpoint ${place}.${hint} /docs lists the endpoints.`;
  return new GatewayError('not_found', { message });
}

/** Maximum length of an unknown path for which the error contains the path and suggests a known path. */
const pathCharsMax = 200;

interface NotedRoute {
  readonly pattern: RegExp;
  readonly methods: readonly string[];
}

/**
 * Collects the methods that are registered for each path. With the collected methods, the server
 * distinguishes a wrong method (405) from an unknown path (404).
 */
class RouteMethods {
  readonly #routes: NotedRoute[] = [];
  readonly #fixedPaths = new Set<string>();

  /**
   * @param url path in the router's notation, in which `:name` matches one segment and `*` matches the rest of
   * the path
   */
  note(methods: readonly string[], url: string): void {
    const source = url
      .replace(/[.+?^${}()|[\]\\]/g, '\\$&')
      .replace(/:[^/]+/g, '[^/]+')
      .replaceAll('*', '.*');
    this.#routes.push({ pattern: new RegExp(`^${source}$`), methods });
    if (!/[:*]/.test(url)) this.#fixedPaths.add(url);
  }

  /**
   * Returns the known path that a client probably meant. The suggested URL fixes doubled slashes and a missing or
   * repeated `/v1`, or has the most similar spelling. The gateway never suggests a path that contains an id.
   */
  suggest(path: string): string | undefined {
    if (path.length > pathCharsMax) return undefined;
    const clean = `/${path.split('/').filter(Boolean).join('/')}`;
    const versioned = `/v1${clean.replace(/^(\/v1)+(?=\/|$)/, '')}`;
    return (
      [clean, versioned].find((each) => this.#fixedPaths.has(each)) ??
      findNearest(versioned, this.#fixedPaths)
    );
  }

  /** Returns the HTTP methods of the routes with this path. Returns an empty list if no route has this path. */
  methodsOf(path: string): readonly string[] {
    const found = this.#routes.filter(({ pattern }) => pattern.test(path));
    return [...new Set(found.flatMap(({ methods }) => methods))];
  }
}
