import { createServer, type IncomingHttpHeaders, type IncomingMessage, type ServerResponse } from 'node:http';
import { closeServer, listenOnLoopback } from '../loopback/loopback-server.ts';
import { findRecordings, loadRecordings } from '../recordings/load-recordings.ts';
import type { Recording } from '../recordings/recording.ts';
import type { ReplayControls } from './controls.ts';
import { readAnswer, type ReplayedAnswer } from './exchange.ts';
import { applyOverrides, sendAnswer } from './send-answer.ts';

/** A request that the replay provider received, byte for byte. */
export interface ReceivedRequest {
  readonly method: string;
  readonly url: string;
  /** The headers, with names in lower case. */
  readonly headers: IncomingHttpHeaders;
  /** The headers with their original capitalization, as a list of alternating names and values. */
  readonly rawHeaders: readonly string[];
  readonly body: Buffer;
  /**
   * The recorded exchange that was used for the response. Null if the request selected no recorded
   * exchange.
   */
  readonly exchangeId: string | null;
  /**
   * The outcome of the request, which is a complete response, a connection reset or a client disconnect.
   * Undefined while the request is in progress.
   */
  readonly ended: 'answered' | 'cut' | 'client-left' | undefined;
  /** The value of `performance.now()` when the request ended. */
  readonly endedAtMs: number | undefined;
}

/** Chooses the replay controls for a request. */
export type ChooseControls = (request: Pick<ReceivedRequest, 'url' | 'headers' | 'body'>) => ReplayControls;

export interface ReplayProvider {
  /** The replay provider's URL, `http://127.0.0.1:<port>`, without a path. */
  readonly url: string;
  /** The last 5,000 requests, in order of arrival. Requests in `checks` are not included. */
  readonly requests: readonly ReceivedRequest[];
  /**
   * The last 5,000 requests that check a credential or list models. Such requests use no queued exchange,
   * because a gateway can send these requests at any time.
   */
  readonly checks: readonly ReceivedRequest[];
  /**
   * Queues an exchange for the next request that contains no exchange id. Null means that only the controls
   * define the response. Throws if the exchange id is unknown.
   */
  enqueue(exchangeId: string | null, controls?: ReplayControls): void;
  /**
   * Sets the controls for all later requests that use no queued controls. A function can compute the controls
   * for each request, even if requests are parallel or select no exchange.
   */
  setControls(controls: ReplayControls | ChooseControls): void;
  /** Deletes the stored requests, the queue of exchanges and the controls. */
  reset(): void;
  close(): Promise<void>;
}

export interface ReplayProviderOptions {
  /** A recordings folder (with index.jsonl). The default is the folder next to the checkout. */
  readonly recordings?: string;
  /** The port of the replay provider. The default is a free port. */
  readonly port?: number;
}

const requestsMax = 5_000;
const queueMax = 10_000;
/**
 * Matches `replay:<exchange id>`, optionally after `Bearer`. The value is read from the header
 * `authorization`, `x-api-key` or `api-key`.
 */
const keyPattern = /^(?:Bearer )?replay:(.+)$/i;

/**
 * Starts a loopback provider that responds with recorded exchanges. A request selects an exchange with an
 * `x-replay-id` header or an API key `replay:<exchange id>`. The next queued exchange is used for a request
 * that does not select an exchange. If the queue is empty, the provider returns 404.
 */
export async function startReplayProvider(options: ReplayProviderOptions = {}): Promise<ReplayProvider> {
  const replay = new Replay(findRecordings(options.recordings));
  const server = createServer((request, response) => {
    replay.respond(request, response).catch(() => response.destroy());
  });
  server.keepAliveTimeout = 60_000;
  server.on('connection', (socket) => socket.setNoDelay(true));
  const url = await listenOnLoopback(server, options.port);
  return {
    url,
    requests: replay.requests,
    checks: replay.checks,
    enqueue: (exchangeId, controls) => replay.enqueue(exchangeId, controls),
    setControls: (controls) => replay.setControls(controls),
    reset: () => replay.reset(),
    close: () => closeServer(server),
  };
}

type Writable<T> = { -readonly [Key in keyof T]: T[Key] };
interface Choice {
  readonly exchangeId: string | null;
  readonly controls: ReplayControls | undefined;
}

/** Matches the paths of requests that list models or check a credential. */
const checkPath = /\/(models|async-invoke|cachedContents|key)(\?.*)?$/;

class Replay {
  readonly requests: Writable<ReceivedRequest>[] = [];
  readonly checks: Writable<ReceivedRequest>[] = [];
  readonly #folder: string | undefined;
  readonly #recordings: ReadonlyMap<string, Recording>;
  readonly #queue: Choice[] = [];
  #controls: ReplayControls | ChooseControls = {};

  constructor(folder: string | undefined) {
    this.#folder = folder;
    const recordings = folder === undefined ? [] : loadRecordings(folder);
    this.#recordings = new Map(recordings.map((recording) => [recording.id, recording]));
  }

  enqueue(exchangeId: string | null, controls: ReplayControls | undefined): void {
    if (exchangeId !== null && !this.#recordings.has(exchangeId))
      throw new Error(`${exchangeId} is not recorded`);
    if (this.#queue.length >= queueMax) throw new Error(`more than ${queueMax} exchanges are queued`);
    this.#queue.push({ exchangeId, controls });
  }

  setControls(controls: ReplayControls | ChooseControls): void {
    this.#controls = controls;
  }

  reset(): void {
    this.requests.length = 0;
    this.checks.length = 0;
    this.#queue.length = 0;
    this.#controls = {};
  }

  async respond(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    const isCheck = request.method === 'GET' && checkPath.test(request.url ?? '');
    const choice = this.#choose(request.headers, isCheck) ?? this.#choiceByRequest;
    const received: Writable<ReceivedRequest> = {
      method: request.method ?? '',
      url: request.url ?? '',
      headers: request.headers,
      rawHeaders: request.rawHeaders,
      body: Buffer.concat(chunks),
      exchangeId: choice?.exchangeId ?? null,
      ended: undefined,
      endedAtMs: undefined,
    };
    const list = isCheck ? this.checks : this.requests;
    list.push(received);
    if (list.length > requestsMax) list.shift();
    const controls = choice?.controls ?? this.#controlsFor(received);
    const isCut = controls.resetAtByte !== undefined;
    response.once('close', () => {
      received.ended = response.writableFinished ? 'answered' : isCut ? 'cut' : 'client-left';
      received.endedAtMs = performance.now();
    });
    await sendAnswer(response, applyOverrides(this.#answerOf(choice), controls), controls);
  }

  /** If a function computes the controls, returns a choice without a recorded exchange. */
  get #choiceByRequest(): Choice | undefined {
    return typeof this.#controls === 'function' ? { exchangeId: null, controls: undefined } : undefined;
  }

  #controlsFor(received: ReceivedRequest): ReplayControls {
    return typeof this.#controls === 'function' ? this.#controls(received) : this.#controls;
  }

  #choose(headers: IncomingHttpHeaders, isCheck: boolean): Choice | undefined {
    const named =
      headers['x-replay-id'] ??
      [headers.authorization, headers['x-api-key'], headers['api-key']]
        .map((value) => keyPattern.exec(String(value))?.[1])
        .find((id) => id !== undefined);
    if (typeof named === 'string') return { exchangeId: named, controls: undefined };
    return isCheck ? undefined : this.#queue.shift();
  }

  #answerOf(choice: Choice | undefined): ReplayedAnswer {
    const headers = { 'content-type': 'application/json' };
    if (choice?.exchangeId === null) return { status: 200, headers, body: Buffer.from('{}') };
    const recording = this.#recordings.get(choice?.exchangeId ?? '');
    if (recording !== undefined && this.#folder !== undefined) return readAnswer(this.#folder, recording);
    const message =
      choice === undefined ? 'No exchange is queued.' : `There is no exchange ${choice.exchangeId}.`;
    const error = { message, type: 'invalid_request_error', param: null, code: 'no_exchange' };
    return { status: 404, headers, body: Buffer.from(JSON.stringify({ error })) };
  }
}
