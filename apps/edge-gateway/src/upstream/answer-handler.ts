import { Readable } from 'node:stream';
import type { Dispatcher } from 'undici';
import { AnswerBody } from './answer-body.ts';
import type { UpstreamCall, UpstreamReply } from './upstream.ts';
import { toUpstreamError } from './upstream-error.ts';

/**
 * Makes an answer of what undici tells of a call, and ends the call when its signal says so: what `request` of undici does,
 * without a `Readable` for each answer.
 */
export class AnswerHandler implements Dispatcher.DispatchHandler {
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
