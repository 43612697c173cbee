import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { watchEventLoop } from './event-loop-stalls.ts';
import type { Metrics } from './metrics.ts';
import { withTimeout } from './with-timeout.ts';

/**
 * The state of each dependency of the process, by name. A process is ready when all required dependencies are
 * ready.
 */
export type Readiness = Record<string, boolean>;

export interface HealthServerOptions {
  readonly host: string;
  /** The port of the health server. If the port is 0, the system chooses a free port. */
  readonly port: number;
  readonly metrics: Metrics;
  readonly ready: () => Readiness | Promise<Readiness>;
  /**
   * Dependencies that are required only at startup. If such a dependency is missing later, the process
   * continues to serve and reports the dependency's state. Dependencies that several services share should be
   * required only at startup. If a shared dependency were always required, its failure would remove all
   * replicas from the load balancer at the same time.
   */
  readonly survives?: readonly string[];
}

export interface HealthServer {
  readonly port: number;
  close(): Promise<void>;
}

const readyDeadlineMs = 2_000;

/**
 * Serves `GET /health/live`, `/health/ready` (503 with the list of missing dependencies) and `/metrics` over
 * unencrypted HTTP. While the health server runs, it counts stalls of the event loop.
 */
export async function startHealthServer(options: HealthServerOptions): Promise<HealthServer> {
  const readiness = new ReadinessCheck(options);
  const server = createServer((request, response) => {
    answer(options, readiness, request, response).catch(() => {
      if (!response.headersSent) sendJson(response, 500, { status: 'failed' });
      else response.destroy();
    });
  });
  server.headersTimeout = 5_000;
  server.requestTimeout = 5_000;
  server.maxConnections = 64;
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(options.port, options.host, resolve);
  });
  const stopWatching = watchEventLoop(options.metrics);
  return {
    port: (server.address() as AddressInfo).port,
    close: () =>
      new Promise((resolve) => {
        stopWatching();
        server.close(() => {
          resolve();
        });
        server.closeAllConnections();
      }),
  };
}

async function answer(
  { metrics }: HealthServerOptions,
  readiness: ReadinessCheck,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  request.resume();
  if (request.method !== 'GET' && request.method !== 'HEAD') {
    sendJson(response, 405, { status: 'method_not_allowed' });
    return;
  }
  switch (request.url?.split('?', 1)[0]) {
    case '/health/live':
      sendJson(response, 200, { status: 'live' });
      return;
    case '/health/ready':
      await answerReady(readiness, response);
      return;
    case '/metrics': {
      const { contentType, body } = await metrics.render();
      response.writeHead(200, { 'content-type': contentType });
      response.end(body);
      return;
    }
    default:
      sendJson(response, 404, { status: 'not_found' });
  }
}

async function answerReady(readiness: ReadinessCheck, response: ServerResponse): Promise<void> {
  const { isReady, dependencies } = await readiness.ask();
  sendJson(response, isReady ? 200 : 503, { status: isReady ? 'ready' : 'not_ready', dependencies });
}

const notReady: Readiness = { readiness: false };

class ReadinessCheck {
  readonly #ready: HealthServerOptions['ready'];
  readonly #survives: ReadonlySet<string>;
  #wasReady = false;

  constructor({ ready, survives = [] }: HealthServerOptions) {
    this.#ready = ready;
    this.#survives = new Set(survives);
  }

  async ask(): Promise<{ isReady: boolean; dependencies: Readiness }> {
    const dependencies = await this.#check().catch(() => notReady);
    const isReady = Object.entries(dependencies).every(
      ([name, isThere]) => isThere || (this.#wasReady && this.#survives.has(name)),
    );
    this.#wasReady ||= isReady;
    return { isReady, dependencies };
  }

  /** Returns the readiness of a dependency. A check that takes too long is treated as not ready. */
  #check(): Promise<Readiness> {
    return withTimeout((async () => this.#ready())(), readyDeadlineMs, notReady);
  }
}

function sendJson(response: ServerResponse, status: number, body: unknown): void {
  response.writeHead(status, { 'content-type': 'application/json' });
  response.end(JSON.stringify(body));
}
