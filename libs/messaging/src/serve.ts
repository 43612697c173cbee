import type { RpcContract } from '@gateway/contracts';
import { GatewayError, toGatewayError } from '@gateway/errors';
import { continueTrace, SpanKind } from '@gateway/observability';
import type { Msg } from '@nats-io/transport-node';
import type { z } from 'zod';
import { renderErrorReply, decodeJson, encodeJson, messageBytesMax, parseTrace } from './message-format.ts';
import type { MessagingLogger } from './messaging.ts';

const inFlightMaxDefault = 256;

/** Serves the requests for one contract, with up to `inFlightMax` concurrent requests. */
export class RequestServer {
  readonly #contract: RpcContract;
  readonly #answer: (request: unknown) => unknown;
  readonly #inFlightMax: number;
  readonly #logger: MessagingLogger | undefined;
  #inFlight = 0;
  #idle: (() => void) | undefined;

  constructor(
    contract: RpcContract,
    answer: (request: unknown) => unknown,
    options: { inFlightMax?: number | undefined; logger?: MessagingLogger | undefined },
  ) {
    this.#contract = contract;
    this.#answer = answer;
    this.#inFlightMax = options.inFlightMax ?? inFlightMaxDefault;
    this.#logger = options.logger;
  }

  get contract(): RpcContract {
    return this.#contract;
  }

  /** Accepts a request. Never throws or rejects. Errors are sent as replies. */
  accept(message: Msg): void {
    if (this.#inFlight >= this.#inFlightMax) {
      reply(message, new GatewayError('service_unavailable', { retryAfterMs: 100 }));
      return;
    }
    this.#inFlight += 1;
    void this.#respond(message).finally(() => {
      this.#inFlight -= 1;
      if (this.#inFlight === 0) this.#idle?.();
    });
  }

  /** Resolves when no request is in progress. */
  whenIdle(): Promise<void> {
    return this.#inFlight === 0 ? Promise.resolve() : new Promise((resolve) => (this.#idle = resolve));
  }

  async #respond(message: Msg): Promise<void> {
    const { subject } = this.#contract;
    const attributes = { 'rpc.system.name': 'nats', 'rpc.method': subject };
    const outcome = await continueTrace(
      parseTrace(message.headers),
      subject,
      attributes,
      () => this.#encodedAnswer(message),
      SpanKind.SERVER,
    ).catch(toGatewayError);
    try {
      reply(message, outcome);
    } catch (error) {
      // Sending fails if the NATS connection was lost. The caller has already detected the lost connection.
      this.#logger?.warn({ subject, err: error }, 'messaging: sending a reply failed');
    }
  }

  async #encodedAnswer(message: Msg): Promise<Buffer> {
    try {
      return encodeReply(await this.#answer(parseRequest(this.#contract.request, message.data)));
    } catch (thrown) {
      this.#report(toGatewayError(thrown), thrown);
      throw thrown;
    }
  }

  #report(error: GatewayError, thrown: unknown): void {
    if (error.definition.status < 500) return;
    const { code, detail } = error;
    this.#logger?.error(
      { subject: this.#contract.subject, code, detail, err: thrown },
      'messaging: a request failed',
    );
  }
}

function reply(message: Msg, outcome: Buffer | GatewayError): void {
  if (outcome instanceof GatewayError) {
    const { data, headers } = renderErrorReply(outcome);
    message.respond(data, { headers });
  } else message.respond(outcome);
}

function encodeReply(value: unknown): Buffer {
  const data = encodeJson(value);
  if (data.length <= messageBytesMax) return data;
  throw new GatewayError('service_unavailable', {
    detail: `the reply of ${data.length} bytes exceeds the limit of ${messageBytesMax}`,
  });
}

function parseRequest(schema: z.ZodType, data: Uint8Array): unknown {
  let body: unknown;
  try {
    body = decodeJson(data);
  } catch {
    throw new GatewayError('malformed_json');
  }
  const parsed = schema.safeParse(body);
  if (parsed.success) return parsed.data;
  const issue = parsed.error.issues[0];
  throw new GatewayError('invalid_field', {
    param: issue?.path.join('.') ?? '',
    detail: parsed.error.issues
      .slice(0, 5)
      .map((each) => `${each.path.join('.')}: ${each.message}`)
      .join('; '),
  });
}
