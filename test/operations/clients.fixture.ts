import { request, type IncomingMessage } from 'node:http';
import { setTimeout as waitMs } from 'node:timers/promises';
import { githubTools } from '../e2e/github-tools.fixture.ts';

/** The gateway's address, and the numbers of requests and streams that the clients send. */
export interface ClientOptions {
  readonly url: string;
  readonly key: string;
  readonly requestsPerSecond: number;
  readonly openStreams: number;
  readonly chunksPerStream: number;
  readonly chunkEveryMs: number;
}

export interface Clients {
  /** The number of currently open streams. */
  readonly open: () => number;
  readonly requests: () => number;
  readonly streams: () => number;
  /**
   * Descriptions of failed requests. A request has failed if its response is missing, is incomplete, or has a
   * status other than 200.
   */
  readonly failures: readonly string[];
  readonly cutStreams: readonly string[];
  /** Stops sending requests, and waits until all open requests have finished. */
  stop(): Promise<void>;
}

const answerWithinMs = 60_000;
const tools = githubTools.slice(0, 12);

/** Sends requests at a constant rate, without waiting for responses, and keeps a fixed number of streams open. */
export function startClients(options: ClientOptions): Clients {
  const state = { isRunning: true, open: 0, requests: 0, streams: 0 };
  const failures: string[] = [];
  const cutStreams: string[] = [];
  const underWay = new Set<Promise<void>>();
  const ask = (number: number) => {
    const asked = askOnce(options, number)
      .catch((error: unknown) => void failures.push(`request ${number}: ${String(error)}`))
      .finally(() => underWay.delete(asked));
    underWay.add(asked);
  };
  const beginAt = performance.now();
  const timer = setInterval(() => {
    const due = ((performance.now() - beginAt) * options.requestsPerSecond) / 1_000;
    while (state.requests < due) ask(state.requests++);
  }, 10);
  const keepStreaming = async (number: number) => {
    // Streams start at different times, so that a restart interrupts them at different stages.
    await waitMs((number / options.openStreams) * options.chunksPerStream * options.chunkEveryMs);
    while (state.isRunning) {
      const id = `stream-${state.streams++}`;
      state.open += 1;
      await streamOnce(options, id).catch((error: unknown) => cutStreams.push(`${id}: ${String(error)}`));
      state.open -= 1;
    }
  };
  const streaming = Promise.all(Array.from({ length: options.openStreams }, (_, at) => keepStreaming(at)));
  return {
    open: () => state.open,
    requests: () => state.requests,
    streams: () => state.streams,
    failures,
    cutStreams,
    stop: async () => {
      state.isRunning = false;
      clearInterval(timer);
      await streaming;
      await Promise.all(underWay);
    },
  };
}

/** Sends a request on a new connection, as a new client would. */
function post({ url, key }: ClientOptions, body: object): Promise<{ status: number; text: string }> {
  const bytes = Buffer.from(JSON.stringify(body));
  return new Promise((resolve, reject) => {
    const headers = {
      authorization: `Bearer ${key}`,
      'content-type': 'application/json',
      'content-length': bytes.length,
    };
    const signal = AbortSignal.timeout(answerWithinMs);
    const call = request(`${url}/v1/chat/completions`, { method: 'POST', agent: false, headers, signal });
    call.once('error', reject);
    call.once('response', (answer: IncomingMessage) => {
      const chunks: Buffer[] = [];
      answer.on('data', (chunk: Buffer) => chunks.push(chunk));
      answer.once('error', reject);
      answer.once('end', () =>
        resolve({ status: answer.statusCode ?? 0, text: Buffer.concat(chunks).toString() }),
      );
    });
    call.end(bytes);
  });
}

async function askOnce(options: ClientOptions, number: number): Promise<void> {
  const content = `Create an issue titled "Number ${number}" in octo/hello`;
  const messages = [{ role: 'user', content }];
  const { status, text } = await post(options, { model: 'sandbox/sandbox-1', messages, tools });
  if (status !== 200) throw new Error(`${status} ${text.slice(0, 200)}`);
  JSON.parse(text);
}

async function streamOnce(options: ClientOptions, id: string): Promise<void> {
  const { chunksPerStream, chunkEveryMs } = options;
  const order = { id, chunks: chunksPerStream, everyMs: chunkEveryMs, fillBytes: 40, cutsFrames: false };
  const { status, text } = await post(options, {
    model: 'openai/gpt-4o-mini',
    messages: [{ role: 'user', content: 'Tell me a story.' }],
    stream: true,
    user: JSON.stringify(order),
  });
  if (status !== 200) throw new Error(`${status} ${text.slice(0, 200)}`);
  const frames = text.split('\n\n').filter((frame) => frame.startsWith('data: {')).length;
  // The finish reason is only in the last frame.
  if (frames !== chunksPerStream + 1 || !text.endsWith('data: [DONE]\n\n'))
    throw new Error(`${frames} of ${chunksPerStream + 1} frames: …${text.slice(-200)}`);
}
