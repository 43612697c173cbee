import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Metrics } from './metrics.ts';

/** Which dependencies are ready, by name. A process is ready when all of them are. */
export type Readiness = Record<string, boolean>;

export interface HealthServerOptions {
  readonly host: string;
  /** 0 takes a free one. */
  readonly port: number;
  readonly metrics: Metrics;
  readonly ready: () => Readiness | Promise<Readiness>;
}

export interface HealthServer {
  readonly port: number;
  close(): Promise<void>;
}

const readyDeadlineMs = 2_000;

/** Serves `GET /health/live`, `/health/ready` (503 with what is not ready) and `/metrics` over plain HTTP. */
export async function startHealthServer(options: HealthServerOptions): Promise<HealthServer> {
  const server = createServer((request, response) => {
    answer(options, request, response).catch(() => {
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
  return {
    port: (server.address() as AddressInfo).port,
    close: () =>
      new Promise((resolve) => {
        server.close(() => {
          resolve();
        });
        server.closeAllConnections();
      }),
  };
}

async function answer(
  { metrics, ready }: HealthServerOptions,
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
      await answerReady(ready, response);
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

async function answerReady(ready: HealthServerOptions['ready'], response: ServerResponse): Promise<void> {
  const dependencies = await withDeadline(ready).catch(() => ({ readiness: false }));
  const isReady = Object.values(dependencies).every(Boolean);
  sendJson(response, isReady ? 200 : 503, { status: isReady ? 'ready' : 'not_ready', dependencies });
}

/** A check that hangs is an answer too: not ready. */
async function withDeadline(ready: HealthServerOptions['ready']): Promise<Readiness> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<Readiness>((resolve) => {
    timer = setTimeout(() => resolve({ readiness: false }), readyDeadlineMs);
  });
  try {
    return await Promise.race([(async () => ready())(), late]);
  } finally {
    clearTimeout(timer);
  }
}

function sendJson(response: ServerResponse, status: number, body: unknown): void {
  response.writeHead(status, { 'content-type': 'application/json' });
  response.end(JSON.stringify(body));
}
