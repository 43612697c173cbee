import type { BroadcastContract, RpcContract } from '@gateway/contracts';
import type { z } from 'zod';

/** Input of a caller, before the schema's defaults. */
export type RequestOf<Contract extends RpcContract> = z.input<Contract['request']>;
/** Input of a server, after the schema's defaults. */
export type ParsedRequestOf<Contract extends RpcContract> = z.output<Contract['request']>;
/** Output of a server. */
export type ReplyOf<Contract extends RpcContract> = z.input<Contract['reply']>;
/** Output that a caller receives. */
export type ParsedReplyOf<Contract extends RpcContract> = z.output<Contract['reply']>;

export interface CallOptions {
  /** Replaces the contract's deadline. */
  readonly deadlineMs?: number;
  /** The instance to call. Required for `perInstance` contracts, and ignored for others. */
  readonly instanceId?: string;
  /** Aborts waiting for the reply. The server is not informed. */
  readonly signal?: AbortSignal;
}

export interface ServeOptions {
  /**
   * Maximum number of requests in progress; 256 by default. Further requests fail at once with
   * `service_unavailable`.
   */
  readonly inFlightMax?: number;
}

/** Requests, replies and broadcasts between processes, over NATS core. */
export interface Messaging {
  /** Whether the connection is established now. */
  readonly connected: boolean;
  /** The instance whose `perInstance` subjects this process serves. */
  readonly instanceId: string;

  /**
   * Sends a request and waits for the reply. Throws `GatewayError`: the server's own code for an error reply,
   * else `service_unavailable` with the cause in `detail` (no server, time-out, lost connection, invalid
   * reply).
   */
  call<Contract extends RpcContract>(
    contract: Contract,
    request: RequestOf<Contract>,
    options?: CallOptions,
  ): Promise<ParsedReplyOf<Contract>>;

  /**
   * Serves requests, and shares them with the other instances of the server unless the contract is
   * `perInstance`. An error of `fn` becomes an error reply: a `GatewayError` with its code and public text,
   * anything else as `internal_error`.
   */
  serve<Contract extends RpcContract>(
    contract: Contract,
    fn: (request: ParsedRequestOf<Contract>) => Promise<ReplyOf<Contract>> | ReplyOf<Contract>,
    options?: ServeOptions,
  ): void;

  /** Sends to every listener. While the connection is down, the newest 1,000 broadcasts are buffered. */
  broadcast<Contract extends BroadcastContract>(
    contract: Contract,
    message: z.input<Contract['message']>,
  ): void;

  /**
   * Receives every broadcast that reaches this process. A message that breaks the contract is logged and
   * dropped.
   */
  onBroadcast<Contract extends BroadcastContract>(
    contract: Contract,
    fn: (message: z.output<Contract['message']>) => void,
  ): void;

  /**
   * Called after each reconnection. Broadcasts may have been missed, so caches that they invalidate are
   * stale.
   */
  onReconnect(fn: () => void): void;

  /**
   * Resolves when the server has processed everything sent so far, so new subscriptions can be called.
   * Resolves at once without a connection. Never rejects.
   */
  flush(): Promise<void>;

  /** Stops accepting requests, waits for those in progress (at most 10 s), and closes the connection. */
  close(): Promise<void>;
}

/** The logger for messaging problems. A pino logger fits. */
export interface MessagingLogger {
  info(fields: object, message: string): void;
  warn(fields: object, message: string): void;
  error(fields: object, message: string): void;
}
