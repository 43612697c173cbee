import { setTimeout as waitMs } from 'node:timers/promises';
import { interactiveMs } from '@gateway/contracts';
import { withTimeout } from '@gateway/observability';
import { connect, type NatsConnection, type NodeConnectionOptions } from '@nats-io/transport-node';
import type { MessagingLogger } from './messaging.ts';

export interface ConnectionOptions {
  /** The URL of the NATS server, `nats://host:port`. Commas separate multiple servers. */
  readonly url: string;
  readonly user: string;
  readonly password: string;
  /** The client name shown in NATS server monitoring. */
  readonly name: string;
  readonly logger?: MessagingLogger | undefined;
}

/** Minimum time between two log lines about failed connections. */
const quietMs = 30_000;
const retryMs = 250;

/**
 * The services that did not reply to any call during the whole deadline of one call. Such a service probably hangs.
 * While a service is silent, one call at a time waits for the whole deadline of its contract, because its work may take
 * long. All other calls to the service wait only for `interactiveMs`.
 */
export class SilentServices {
  readonly #repliedAtMs = new Map<string, number>();
  readonly #silent = new Set<string>();
  readonly #probed = new Set<string>();
  readonly #now: () => number;

  constructor(now: () => number = () => performance.now()) {
    this.#now = now;
  }

  /** Returns the deadline of a call in milliseconds, and whether the call probes a silent service. */
  limit(service: string, deadlineMs: number): { readonly deadlineMs: number; readonly isProbe: boolean } {
    if (!this.#silent.has(service) || deadlineMs <= interactiveMs) return { deadlineMs, isProbe: false };
    if (this.#probed.has(service)) return { deadlineMs: interactiveMs, isProbe: false };
    this.#probed.add(service);
    return { deadlineMs, isProbe: true };
  }

  noteReply(service: string): void {
    this.#repliedAtMs.set(service, this.#now());
    this.#silent.delete(service);
  }

  /** Ignores shorter waits, because a service may be too busy for a reply within a short deadline. */
  noteTimeout(service: string, startedAtMs: number): void {
    if (this.#now() - startedAtMs < interactiveMs) return;
    if ((this.#repliedAtMs.get(service) ?? -Infinity) < startedAtMs) this.#silent.add(service);
  }

  endProbe(service: string): void {
    this.#probed.delete(service);
  }
}

/** A NATS connection that reconnects until the process closes it. */
export class Connection {
  /** Listeners for a lost connection. Calls that are pending when the connection is lost receive no reply. */
  readonly waitingForReplies = new Set<() => void>();
  readonly silentServices = new SilentServices();
  readonly #options: ConnectionOptions;
  readonly #onUp: ((nats: NatsConnection, isFirst: boolean) => void)[] = [];
  readonly #stopping = new AbortController();
  #nats: NatsConnection | undefined;
  #isUp = false;
  #reportedAt = -Infinity;

  constructor(options: ConnectionOptions) {
    this.#options = options;
  }

  /** The NATS connection. Undefined while the connection is down. */
  get current(): NatsConnection | undefined {
    return this.#isUp ? this.#nats : undefined;
  }

  /** The NATS connection, even during a reconnection. Subscriptions are kept during a reconnection. */
  get established(): NatsConnection | undefined {
    return this.#nats;
  }

  onUp(fn: (nats: NatsConnection, isFirst: boolean) => void): void {
    this.#onUp.push(fn);
  }

  /**
   * Resolves when the first connection is established. The connection attempt is retried until it succeeds or
   * `close` is called.
   */
  async open(): Promise<void> {
    while (!this.#stopping.signal.aborted) {
      try {
        this.#nats = await connect(natsOptions(this.#options));
        break;
      } catch (error) {
        this.#report(error, 'messaging: connecting to NATS failed, retrying');
        await waitMs(retryMs, undefined, { signal: this.#stopping.signal }).catch(() => undefined);
      }
    }
    if (this.#nats === undefined) return;
    if (this.#stopping.signal.aborted) return this.#nats.close();
    this.#up(this.#nats, true);
    void this.#watch(this.#nats);
  }

  async close(): Promise<void> {
    this.#stopping.abort();
    this.#isUp = false;
    // Draining a connection requires a responsive server, so draining has a time limit.
    const nats = this.#nats;
    if (nats === undefined || nats.isClosed()) return;
    await withTimeout(
      nats.drain().catch(() => undefined),
      1_000,
      undefined,
    );
    await nats.close();
  }

  #up(nats: NatsConnection, isFirst: boolean): void {
    this.#isUp = true;
    this.#reportedAt = -Infinity;
    this.#options.logger?.info({ server: nats.getServer() }, 'messaging: connected to NATS');
    for (const fn of this.#onUp) fn(nats, isFirst);
  }

  async #watch(nats: NatsConnection): Promise<void> {
    for await (const status of nats.status()) {
      if (status.type === 'reconnect') this.#up(nats, false);
      else if (status.type === 'disconnect' || status.type === 'close') {
        if (this.#isUp && !this.#stopping.signal.aborted) {
          this.#report(undefined, 'messaging: connection to NATS lost, reconnecting');
        }
        this.#isUp = false;
        for (const giveUp of this.waitingForReplies) giveUp();
      } else if (status.type === 'error') this.#report(status.error, 'messaging: NATS reported an error');
    }
  }

  #report(error: unknown, message: string): void {
    const now = performance.now();
    if (now - this.#reportedAt < quietMs) return;
    this.#reportedAt = now;
    this.#options.logger?.warn(error === undefined ? {} : { err: error }, message);
  }
}

function natsOptions(options: ConnectionOptions): NodeConnectionOptions {
  return {
    servers: options.url.split(','),
    user: options.user,
    pass: options.password,
    name: options.name,
    inboxPrefix: `_INBOX_${options.user}`,
    reconnect: true,
    maxReconnectAttempts: -1,
    reconnectTimeWait: retryMs,
    reconnectJitter: retryMs,
    timeout: 5_000,
    // A changed password may take effect at the NATS server before this process receives it.
    // Connection errors caused by a changed password must not end the process.
    ignoreAuthErrorAbort: true,
    // Pings detect an unresponsive server within 7.5 s, before a cached grant expires.
    pingInterval: 2_500,
    maxPingOut: 2,
    noAsyncTraces: true,
  };
}
