import type { BroadcastContract, RpcContract } from '@gateway/contracts';
import { continueTrace, SpanKind, withSpan, withTimeout } from '@gateway/observability';
import type { Msg, NatsConnection, Subscription } from '@nats-io/transport-node';
import type { z } from 'zod';
import { callOver } from './call.ts';
import { Connection, type ConnectionOptions } from './connection.ts';
import type {
  CallOptions,
  Messaging,
  MessagingLogger,
  ParsedReplyOf,
  ParsedRequestOf,
  ReplyOf,
  RequestOf,
  ServeOptions,
} from './messaging.ts';
import { decodeJson, encodeJson, subjectOf, parseTrace, renderTrace } from './message-format.ts';
import { RequestServer } from './serve.ts';

export interface MessagingOptions extends ConnectionOptions {
  /** A pattern for a single token of a NATS subject, which consists of letters, digits, `-` and `_`. */
  readonly instanceId: string;
}

/** Maximum time for which startup waits for the first NATS connection, in milliseconds. */
const firstConnectionWaitMs = 2_000;
const closeWaitMs = 10_000;
const waitingBroadcastsMax = 1_000;

/**
 * Connects to NATS. If the NATS server is unavailable, the promise resolves after two seconds with
 * `connected` set to false. Connection attempts continue in the background after a time-out. Services and
 * listeners registered before the first connection start when the connection is established.
 */
export async function connectMessaging(options: MessagingOptions): Promise<Messaging> {
  const messaging = new NatsMessaging(options);
  await messaging.open();
  return messaging;
}

class NatsMessaging implements Messaging {
  readonly instanceId: string;
  readonly #connection: Connection;
  readonly #logger: MessagingLogger | undefined;
  readonly #servers: RequestServer[] = [];
  readonly #serving: Subscription[] = [];
  readonly #subscribe: ((nats: NatsConnection) => void)[] = [];
  readonly #onReconnect: (() => void)[] = [];
  #waiting: (() => void)[] = [];
  #closed: Promise<void> | undefined;

  constructor(options: MessagingOptions) {
    this.instanceId = options.instanceId;
    this.#logger = options.logger;
    this.#connection = new Connection(options);
    this.#connection.onUp((nats, isFirst) => {
      if (isFirst) for (const subscribe of this.#subscribe) subscribe(nats);
      else for (const fn of this.#onReconnect) fn();
      const waiting = this.#waiting;
      this.#waiting = [];
      for (const send of waiting) send();
    });
  }

  get connected(): boolean {
    return this.#connection.current !== undefined;
  }

  async open(): Promise<void> {
    await withTimeout(this.#connection.open(), firstConnectionWaitMs, undefined);
  }

  call<Contract extends RpcContract>(
    contract: Contract,
    request: RequestOf<Contract>,
    options: CallOptions = {},
  ): Promise<ParsedReplyOf<Contract>> {
    return callOver(this.#connection, contract, request, options);
  }

  serve<Contract extends RpcContract>(
    contract: Contract,
    fn: (request: ParsedRequestOf<Contract>) => Promise<ReplyOf<Contract>> | ReplyOf<Contract>,
    options: ServeOptions = {},
  ): void {
    const server = new RequestServer(contract, fn as (request: unknown) => unknown, {
      inFlightMax: options.inFlightMax,
      logger: this.#logger,
    });
    this.#servers.push(server);
    const subject = subjectOf(contract, this.instanceId);
    this.#whenConnected((nats) => {
      const subscription = nats.subscribe(subject, {
        ...(contract.perInstance ? {} : { queue: contract.server }),
        callback: (error, message) => {
          if (error === null) server.accept(message);
        },
      });
      this.#reportRefusal(subscription);
      this.#serving.push(subscription);
    });
  }

  broadcast<Contract extends BroadcastContract>(
    contract: Contract,
    message: z.input<Contract['message']>,
  ): void {
    const { subject } = contract;
    const data = encodeJson(message);
    const attributes = {
      'messaging.system': 'nats',
      'messaging.operation.type': 'send',
      'messaging.operation.name': 'publish',
      'messaging.destination.name': subject,
    };
    withSpan(
      `publish ${subject}`,
      attributes,
      () => {
        const headers = renderTrace();
        this.#sendOrWait(() =>
          this.#connection.current?.publish(subject, data, headers === undefined ? {} : { headers }),
        );
      },
      SpanKind.PRODUCER,
    );
  }

  onBroadcast<Contract extends BroadcastContract>(
    contract: Contract,
    fn: (message: z.output<Contract['message']>) => void,
  ): void {
    this.#whenConnected((nats) => {
      const subscription = nats.subscribe(contract.subject, {
        callback: (error, message) => {
          if (error === null) this.#hear(contract, message, fn as (message: unknown) => void);
        },
      });
      this.#reportRefusal(subscription);
    });
  }

  onReconnect(fn: () => void): void {
    this.#onReconnect.push(fn);
  }

  async flush(): Promise<void> {
    await this.#connection.current?.flush().catch(() => undefined);
  }

  close(): Promise<void> {
    this.#closed ??= this.#drain();
    return this.#closed;
  }

  async #drain(): Promise<void> {
    // `close` first unsubscribes, and disconnects last.
    // Requests in progress need the connection to send their replies.
    for (const subscription of this.#serving) void subscription.drain().catch(() => undefined);
    await this.flush();
    await withTimeout(Promise.all(this.#servers.map((server) => server.whenIdle())), closeWaitMs, undefined);
    await this.#connection.close();
  }

  /**
   * Subscriptions are kept across reconnections. Subscriptions are collected in a list until the first connection.
   */
  #whenConnected(subscribe: (nats: NatsConnection) => void): void {
    const nats = this.#connection.established;
    if (nats === undefined) this.#subscribe.push(subscribe);
    else subscribe(nats);
  }

  #sendOrWait(send: () => void): void {
    if (this.connected) {
      send();
      return;
    }
    if (this.#waiting.length >= waitingBroadcastsMax) this.#waiting.shift();
    this.#waiting.push(send);
  }

  #hear(contract: BroadcastContract, message: Msg, fn: (message: unknown) => void): void {
    const { subject } = contract;
    const attributes = {
      'messaging.system': 'nats',
      'messaging.operation.type': 'process',
      'messaging.operation.name': 'process',
      'messaging.destination.name': subject,
    };
    try {
      const parsed = contract.message.parse(decodeJson(message.data));
      const trace = parseTrace(message.headers);
      continueTrace(trace, `process ${subject}`, attributes, () => fn(parsed), SpanKind.CONSUMER);
    } catch (error) {
      this.#logger?.error({ subject, err: error }, 'messaging: dropped an invalid or failed broadcast');
    }
  }

  #reportRefusal(subscription: Subscription): void {
    void subscription.closed.then((error) => {
      if (error instanceof Error) {
        this.#logger?.error(
          { subject: subscription.getSubject(), err: error },
          'messaging: NATS refused a subscription',
        );
      }
    });
  }
}
