import type { EgressGuard } from '@gateway/providers';
import { LRUCache } from 'lru-cache';
import type { Dispatcher } from 'undici';
import { Agent } from 'undici';
import { Readable } from 'node:stream';
import type { Upstream, UpstreamCall, UpstreamReply } from './upstream.port.ts';
import { toUpstreamError } from './upstream.port.ts';
import { loopHeader, type LoopGuard } from '../loops/loop-guard.ts';
import { AnswerBody } from './answer-body.ts';

interface UndiciUpstreamOptions {
  readonly guard: EgressGuard;
  /** Maximum time in milliseconds until the response headers arrive, and between two chunks of the body. */
  readonly idleTimeoutMs: number;
  /** Renders a header for each request, by which the gateway recognizes a request that returns to it. */
  readonly loops: Pick<LoopGuard, 'renderHeader'>;
}

interface Address {
  readonly origin: string;
  readonly path: string;
}

/** Maximum total length of the URLs and paths of known addresses, in characters. */
const addressCharactersMax = 4 * 1024 * 1024;

/** Keeps one connection pool per provider address. The egress guard resolves and checks every address. */
export class UndiciUpstream implements Upstream {
  readonly #agent: Agent;
  readonly #guard: EgressGuard;
  readonly #loops: UndiciUpstreamOptions['loops'];
  /**
   * Provider addresses that have passed the egress guard. The rules of the egress guard do not change while the
   * process runs. The cache limits the total number of characters, because URLs of videos can be long.
   */
  readonly #addresses = new LRUCache<string, Address>({
    max: 10_000,
    maxSize: addressCharactersMax,
    sizeCalculation: ({ path }, url) => url.length + path.length,
  });

  constructor({ guard, idleTimeoutMs, loops }: UndiciUpstreamOptions) {
    this.#guard = guard;
    this.#loops = loops;
    this.#agent = new Agent({
      connect: guard.connect,
      headersTimeout: idleTimeoutMs,
      bodyTimeout: idleTimeoutMs,
      // The number of connections per address is unlimited, because the gateway limits the number of requests.
      // A single account cannot use up the connections to an address.
      connections: null,
      pipelining: 1,
      // Providers and load balancers close idle connections after about a minute.
      // The gateway closes idle connections earlier, so that a request is never written to a closing connection.
      keepAliveTimeout: 20_000,
      keepAliveMaxTimeout: 55_000,
      maxHeaderSize: 64 * 1024,
    });
  }

  send(call: UpstreamCall): Promise<UpstreamReply> {
    return new Promise((resolve, reject) => {
      if (call.isLinked) this.#guard.checkLink(call.url);
      const { origin, path } = this.#addresses.get(call.url) ?? this.#parseAddress(call.url);
      const { method = 'POST' } = call;
      const { body, length } = renderBody(call.body);
      const headers = { ...call.headers, ...length, [loopHeader]: this.#loops.renderHeader(call.loopHeader) };
      this.#agent.dispatch({ origin, path, method, headers, body }, new AnswerHandler(call, resolve, reject));
    });
  }

  /**
   * Parses a provider's address. Throws `egress_denied` for a forbidden address. A host name is resolved and
   * checked when the connection is opened.
   */
  #parseAddress(url: string): Address {
    this.#guard.checkCall(url);
    const { origin, pathname, search } = new URL(url);
    const address = { origin, path: pathname + search };
    this.#addresses.set(url, address);
    return address;
  }

  async close(): Promise<void> {
    await this.#agent.close();
  }
}

/** Returns the body in a form that undici sends, and the length of a body that undici sends in several pieces. */
function renderBody(body: UpstreamCall['body']): {
  body: Uint8Array | Readable | null;
  length?: { 'content-length': string };
} {
  if (body === null || body instanceof Readable || body instanceof Uint8Array) return { body };
  const length = body.reduce((sum, piece) => sum + piece.length, 0);
  // undici sends iterables (see its documentation of `Dispatcher.dispatch`), but its types do not include them.
  return { body: body as unknown as Uint8Array, length: { 'content-length': String(length) } };
}

/**
 * Builds a response from undici's events, and aborts the call when the caller's signal aborts. The response
 * handler works like undici's `request`, but does not create a `Readable` for each response.
 */
class AnswerHandler implements Dispatcher.DispatchHandler {
  readonly #call: Pick<UpstreamCall, 'signal' | 'body'>;
  readonly #resolve: (reply: UpstreamReply) => void;
  readonly #reject: (error: Error) => void;
  readonly #abort = (): void => this.#end();
  #controller: Dispatcher.DispatchController | undefined;
  #body: AnswerBody | undefined;

  constructor(
    call: Pick<UpstreamCall, 'signal' | 'body'>,
    resolve: (reply: UpstreamReply) => void,
    reject: (error: Error) => void,
  ) {
    this.#call = call;
    this.#resolve = resolve;
    this.#reject = reject;
    call.signal.addEventListener('abort', this.#abort);
    if (call.signal.aborted) this.#end();
  }

  /** undici calls this method when a connection is ready, before it writes the request to the connection. */
  onRequestStart(controller: Dispatcher.DispatchController): void {
    this.#controller = controller;
    if (this.#call.signal.aborted) this.#end();
  }

  onResponseStart(
    controller: Dispatcher.DispatchController,
    status: number,
    headers: UpstreamReply['headers'],
  ): void {
    // Early hints and other interim responses are skipped.
    if (status < 200) return;
    const body = new AnswerBody(controller);
    body.follow(() => this.#release());
    this.#body = body;
    this.#resolve({ status, headers, body });
  }

  onResponseData(_: Dispatcher.DispatchController, chunk: Buffer): void {
    this.#body?.push(chunk);
  }

  onResponseEnd(): void {
    this.#body?.end();
  }

  onResponseError(_: Dispatcher.DispatchController | null, error: Error): void {
    if (this.#body !== undefined) this.#body.breakOff(error);
    else this.#reject(toUpstreamError(error));
    this.#release();
    const { body } = this.#call;
    if (body instanceof Readable) body.once('error', () => undefined).destroy(error);
  }

  /**
   * Aborts the provider call of the attempt. undici cannot abort a call that has no connection yet. If the call has
   * no connection, the method rejects the promise immediately and aborts the call after the connection is ready.
   */
  #end(): void {
    const reason = this.#call.signal.reason as Error;
    if (this.#body !== undefined) this.#body.fail(reason);
    else if (this.#controller !== undefined) this.#controller.abort(reason);
    else this.#reject(toUpstreamError(reason));
  }

  #release(): void {
    this.#call.signal.removeEventListener('abort', this.#abort);
  }
}
