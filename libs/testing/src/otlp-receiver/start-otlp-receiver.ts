import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { setTimeout as waitMs } from 'node:timers/promises';
import { gunzipSync } from 'node:zlib';
import { closeServer, listenOnLoopback } from '../loopback/loopback-server.ts';
import { parseExport, type ReceivedSpan } from './parse-export.ts';

export interface OtlpReceiver {
  /** The value for OTEL_EXPORTER_OTLP_ENDPOINT. */
  readonly url: string;
  /** All spans received so far, in order of arrival. */
  spans(): readonly ReceivedSpan[];
  /**
   * Waits until the spans of a trace satisfy the predicate, and returns these spans. After `timeoutMs`, the
   * function throws an error that lists the received spans.
   */
  waitForTrace(
    traceId: string,
    predicate: (spans: readonly ReceivedSpan[]) => boolean,
    timeoutMs: number,
  ): Promise<readonly ReceivedSpan[]>;
  close(): Promise<void>;
}

/** Maximum number of stored spans. Above the maximum, the oldest spans are removed first. */
const spansMax = 200_000;

async function readBody(request: IncomingMessage): Promise<Buffer> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  const body = Buffer.concat(chunks);
  return request.headers['content-encoding'] === 'gzip' ? gunzipSync(body) : body;
}

export interface OtlpReceiverOptions {
  /** A function that receives the uncompressed body of each export. */
  readonly onExport?: (body: Buffer) => void;
}

/** Starts a loopback receiver for OTLP/HTTP traces in JSON. */
export async function startOtlpReceiver(options: OtlpReceiverOptions = {}): Promise<OtlpReceiver> {
  const received: ReceivedSpan[] = [];
  const answer = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const body = await readBody(request);
    if (request.method !== 'POST' || request.url !== '/v1/traces') {
      response.writeHead(404).end();
      return;
    }
    options.onExport?.(body);
    received.push(...parseExport(JSON.parse(body.toString('utf8'))));
    if (received.length > spansMax) received.splice(0, received.length - spansMax);
    response.writeHead(200, { 'content-type': 'application/json' }).end('{}');
  };
  const server = createServer((request, response) => {
    answer(request, response).catch((error: unknown) => {
      response.writeHead(400).end(String(error));
    });
  });
  const url = await listenOnLoopback(server);
  return {
    url,
    spans: () => received,
    waitForTrace: (traceId, predicate, timeoutMs) => waitForTrace(received, traceId, predicate, timeoutMs),
    close: () => closeServer(server),
  };
}

async function waitForTrace(
  received: readonly ReceivedSpan[],
  traceId: string,
  predicate: (spans: readonly ReceivedSpan[]) => boolean,
  timeoutMs: number,
): Promise<readonly ReceivedSpan[]> {
  const endsAt = performance.now() + timeoutMs;
  for (;;) {
    const spans = received.filter((span) => span.traceId === traceId);
    if (predicate(spans)) return spans;
    if (performance.now() > endsAt) {
      const names = spans.map((span) => `${span.serviceName}: ${span.name}`).join(', ');
      throw new Error(
        `trace ${traceId} is incomplete after ${timeoutMs} ms; received spans: ${names || 'none'}`,
      );
    }
    await waitMs(20);
  }
}
