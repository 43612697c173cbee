import type { BroadcastContract, RpcContract } from '@gateway/contracts';
import type { z } from 'zod';

/** What a caller hands in: before the schema's defaults. */
export type RequestOf<Contract extends RpcContract> = z.input<Contract['request']>;
/** What a server gets: after the schema's defaults. */
export type ParsedRequestOf<Contract extends RpcContract> = z.output<Contract['request']>;
/** What a server answers. */
export type ReplyOf<Contract extends RpcContract> = z.input<Contract['reply']>;
/** What a caller gets. */
export type ParsedReplyOf<Contract extends RpcContract> = z.output<Contract['reply']>;

export interface CallOptions {
  /** Instead of the contract's deadline. */
  readonly deadlineMs?: number;
  /** Which instance is asked; needed for a `perInstance` contract, and for no other. */
  readonly instanceId?: string;
  /** Gives the reply up; the server is not told. */
  readonly signal?: AbortSignal;
}

export interface ServeOptions {
  /** Requests in work at the same time; what comes on top is answered `service_unavailable` at once. 256 unless given. */
  readonly inFlightMax?: number;
}

/** Requests, replies and broadcasts between processes, over NATS core. */
export interface Messaging {
  /** Whether the connection stands right now. */
  readonly connected: boolean;
  /** Whose subjects of `perInstance` contracts are served here. */
  readonly instanceId: string;

  /**
   * Asks, and waits for the reply. Throws `GatewayError`: the server's own code if it answered an error, else
   * `service_unavailable` with the cause in `detail` (nobody serves it, too late, cut, a reply against the contract).
   */
  call<Contract extends RpcContract>(
    contract: Contract,
    request: RequestOf<Contract>,
    options?: CallOptions,
  ): Promise<ParsedReplyOf<Contract>>;

  /**
   * Answers requests, sharing them with the other instances of the server unless the contract is `perInstance`. What
   * `fn` throws is answered as an error: a `GatewayError` by its code and public text, anything else `internal_error`.
   */
  serve<Contract extends RpcContract>(
    contract: Contract,
    fn: (request: ParsedRequestOf<Contract>) => Promise<ReplyOf<Contract>> | ReplyOf<Contract>,
    options?: ServeOptions,
  ): void;

  /** Tells every listener. While the connection is down, the newest 1,000 wait for it. */
  broadcast<Contract extends BroadcastContract>(
    contract: Contract,
    message: z.input<Contract['message']>,
  ): void;

  /** Hears every broadcast that reaches this process; one against the contract is logged and dropped. */
  onBroadcast<Contract extends BroadcastContract>(
    contract: Contract,
    fn: (message: z.output<Contract['message']>) => void,
  ): void;

  /** After each connection but the first: broadcasts may have been missed, so caches they invalidate are stale. */
  onReconnect(fn: () => void): void;

  /**
   * Resolves once the server has taken what was sent until now: who asks for what is served from here on finds it. At once
   * while there is no connection. Never rejects.
   */
  flush(): Promise<void>;

  /** Takes no more requests, lets those in work end (for 10 s at most), and closes the connection. */
  close(): Promise<void>;
}

/** Where messaging reports what goes wrong; a pino logger fits. */
export interface MessagingLogger {
  info(fields: object, message: string): void;
  warn(fields: object, message: string): void;
  error(fields: object, message: string): void;
}
