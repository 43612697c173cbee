import type { BroadcastContract, RpcContract } from '@gateway/contracts';
import type { z } from 'zod';

/** The type of a request or message that callers pass, before schema defaults are applied. */
export type RequestOf<Contract extends RpcContract> = z.input<Contract['request']>;
/** The type of a request or message that servers receive, after schema defaults are applied. */
export type ParsedRequestOf<Contract extends RpcContract> = z.output<Contract['request']>;
/** The type of a reply that servers return. */
export type ReplyOf<Contract extends RpcContract> = z.input<Contract['reply']>;
/** The type of a reply that callers receive. */
export type ParsedReplyOf<Contract extends RpcContract> = z.output<Contract['reply']>;

export interface CallOptions {
  /** A deadline that overrides the contract's deadline, in milliseconds. */
  readonly deadlineMs?: number;
  /**
   * The id of the server instance to call. Required for `perInstance` contracts, and ignored for
   * other contracts.
   */
  readonly instanceId?: string;
  /** A signal that stops the wait for the reply. The server is not notified when the signal is aborted. */
  readonly signal?: AbortSignal;
}

export interface ServeOptions {
  /**
   * Maximum number of concurrent requests. The default maximum is 256. Requests beyond the maximum fail
   * immediately with `service_unavailable`.
   */
  readonly inFlightMax?: number;
}

/** Requests, replies and broadcasts between processes, over NATS core. */
export interface Messaging {
  /** Whether the connection is currently up. */
  readonly connected: boolean;
  /**
   * The instance id of this process. The process serves the `perInstance` subjects for its instance id.
   */
  readonly instanceId: string;

  /**
   * Sends a request and waits for the reply. Throws a `GatewayError`. If the server replies with an error,
   * the thrown error has the server's code. Without a valid reply, the code is `service_unavailable`, and
   * `detail` contains the cause (no server, timeout, lost connection, invalid reply).
   */
  call<Contract extends RpcContract>(
    contract: Contract,
    request: RequestOf<Contract>,
    options?: CallOptions,
  ): Promise<ParsedReplyOf<Contract>>;

  /**
   * Serves the requests for a contract. Only one instance receives each request, unless the contract is
   * `perInstance`. If `fn` throws, the caller receives an error reply. If the error is a `GatewayError`, the
   * reply contains its code and public text. For other errors, the caller receives `internal_error`.
   */
  serve<Contract extends RpcContract>(
    contract: Contract,
    fn: (request: ParsedRequestOf<Contract>) => Promise<ReplyOf<Contract>> | ReplyOf<Contract>,
    options?: ServeOptions,
  ): void;

  /**
   * Sends a broadcast to every listener. While the connection is down, the newest 1,000 broadcasts are
   * buffered.
   */
  broadcast<Contract extends BroadcastContract>(
    contract: Contract,
    message: z.input<Contract['message']>,
  ): void;

  /**
   * Receives every broadcast that reaches this process. Messages that violate the contract are logged and
   * dropped.
   */
  onBroadcast<Contract extends BroadcastContract>(
    contract: Contract,
    fn: (message: z.output<Contract['message']>) => void,
  ): void;

  /**
   * Registers a function that is called after each reconnection. A listener may have missed broadcasts while
   * it was disconnected, so caches that rely on broadcasts are stale.
   */
  onReconnect(fn: () => void): void;

  /**
   * Resolves when the NATS server has processed all data sent before this call, so that new subscriptions
   * receive messages. Resolves immediately if there is no connection, and never rejects.
   */
  flush(): Promise<void>;

  /** Stops accepting requests, waits up to 10 s for requests in progress, and closes the connection. */
  close(): Promise<void>;
}

/** The logger for messaging problems. A pino logger has the required methods. */
export interface MessagingLogger {
  info(fields: object, message: string): void;
  warn(fields: object, message: string): void;
  error(fields: object, message: string): void;
}
