import type { EgressGuard } from '@gateway/providers';
import { LRUCache } from 'lru-cache';
import type { Dispatcher } from 'undici';
import { Agent } from 'undici';
import { Readable } from 'node:stream';
import type { Upstream, UpstreamCall, UpstreamReply } from './upstream.port.ts';
import { toUpstreamError } from './upstream.port.ts';
import { AnswerBody } from './answer-body.ts';

interface UndiciUpstreamOptions {
  readonly guard: EgressGuard;
  /** How long a provider may be silent, before its headers and between two chunks. */
  readonly idleTimeoutMs: number;
}

interface Address {
  readonly origin: string;
  readonly path: string;
}

/** One connection pool a provider address. Every address is resolved and checked by the egress guard. */
export class UndiciUpstream implements Upstream {
  readonly #agent: Agent;
  readonly #guard: EgressGuard;
  /** Addresses that the guard let pass: what it allows does not change while the process runs. */
  readonly #addresses = new LRUCache<string, Address>({ max: 10_000 });

  constructor({ guard, idleTimeoutMs }: UndiciUpstreamOptions) {
    this.#guard = guard;
    this.#agent = new Agent({
      connect: guard.connect,
      headersTimeout: idleTimeoutMs,
      bodyTimeout: idleTimeoutMs,
      connections: 2_048,
      pipelining: 1,
      // Providers and load balancers close idle connections after a minute or so; we let go first, so that a
      // request is not written into a connection that is being closed.
      keepAliveTimeout: 20_000,
      keepAliveMaxTimeout: 55_000,
      maxHeaderSize: 64 * 1024,
    });
  }

  send(call: UpstreamCall): Promise<UpstreamReply> {
    return new Promise((resolve, reject) => {
      const { origin, path } = this.#addresses.get(call.url) ?? this.#parseAddress(call.url);
      const { method = 'POST', headers, body } = call;
      this.#agent.dispatch({ origin, path, method, headers, body }, new AnswerHandler(call, resolve, reject));
    });
  }

  /** Throws `egress_denied` for an address that is denied by itself; where a name leads is checked when connecting. */
  #parseAddress(url: string): Address {
    this.#guard.checkUrl(url);
    const { origin, pathname, search } = new URL(url);
    const address = { origin, path: pathname + search };
    this.#addresses.set(url, address);
    return address;
  }

  async close(): Promise<void> {
    await this.#agent.close();
  }
}

/**
 * Makes an answer of what undici tells of a call, and ends the call when its signal says so: what `request` of undici does,
 * without a `Readable` for each answer.
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

  /** A connection is there, and the request is about to be written. */
  onRequestStart(controller: Dispatcher.DispatchController): void {
    this.#controller = controller;
    if (this.#call.signal.aborted) this.#end();
  }

  onResponseStart(
    controller: Dispatcher.DispatchController,
    status: number,
    headers: UpstreamReply['headers'],
  ): void {
    // Early hints, and whatever else comes before an answer.
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
    if (this.#body !== undefined) this.#body.fail(error);
    else this.#reject(toUpstreamError(error));
    this.#release();
    const { body } = this.#call;
    if (body instanceof Readable) body.once('error', () => undefined).destroy(error);
  }

  /** Before its connection is there a call cannot be ended: nobody waits for it any more, and it ends when it would begin. */
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
