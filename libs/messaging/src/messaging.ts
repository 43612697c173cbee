import type { BroadcastContract, RpcContract } from '@gateway/contracts';
import type { z } from 'zod';

/** The input type for callers, before schema defaults are applied. */
export type RequestOf<Contract extends RpcContract> = z.input<Contract['request']>;
/** The input type for servers, after schema defaults are applied. */
export type ParsedRequestOf<Contract extends RpcContract> = z.output<Contract['request']>;
/** The output type for servers. */
export type ReplyOf<Contract extends RpcContract> = z.input<Contract['reply']>;
/** The output type for callers. */
export type ParsedReplyOf<Contract extends RpcContract> = z.output<Contract['reply']>;

export interface CallOptions {
  /** Overrides the contract's deadline. */
  readonly deadlineMs?: number;
  /** The instance to call. Required for `perInstance` contracts, and ignored for other contracts. */
  readonly instanceId?: string;
  /** A signal that stops the wait for the reply. The server is not notified. */
  readonly signal?: AbortSignal;
}

export interface ServeOptions {
  /**
   * Maximum number of requests in progress. The default is 256. Excess requests fail immediately with
   * `service_unavailable`.
   */
  readonly inFlightMax?: number;
}

/** Requests, replies and broadcasts between processes, over NATS core. */
export interface Messaging {
  /** Whether the connection is currently up. */
  readonly connected: boolean;
  /** The id of this instance. This process serves the `perInstance` subjects for this id. */
  readonly instanceId: string;

  /**
   * Sends a request and waits for the reply. Throws a `GatewayError`. For an error reply, the error has the
   * server's code. Otherwise the code is `service_unavailable`, with the cause in `detail` (no server,
   * time-out, lost connection, invalid reply).
   */
  call<Contract extends RpcContract>(
    contract: Contract,
    request: RequestOf<Contract>,
    options?: CallOptions,
  ): Promise<ParsedReplyOf<Contract>>;

  /**
   * Serves requests, and shares the requests with the server's other instances unless the contract is
   * `perInstance`. If `fn` throws, the caller receives an error reply. A `GatewayError` keeps its code and
   * public text. Any other error becomes `internal_error`.
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
   * Called after each reconnection. Broadcasts may have been missed, so caches that rely on them are stale.
   */
  onReconnect(fn: () => void): void;

  /**
   * Resolves when the server has processed all data sent before this call, so that new subscriptions can be
   * called. Resolves immediately without a connection. Never rejects.
   */
  flush(): Promise<void>;

  /** Stops accepting requests, waits up to 10 s for requests in progress, and closes the connection. */
  close(): Promise<void>;
}

/** The logger for messaging problems. A pino logger is compatible. */
export interface MessagingLogger {
  info(fields: object, message: string): void;
  warn(fields: object, message: string): void;
  error(fields: object, message: string): void;
}
