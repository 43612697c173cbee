import type { z } from 'zod';

/**
 * The processes that use messaging. Each process is a separate NATS user with access only to its own
 * subjects.
 */
export type ServiceName =
  | 'edge-gateway'
  | 'tool-router'
  | 'compressor'
  | 'account'
  | 'provider-vault'
  | 'billing'
  | 'worker'
  /** Setup and maintenance commands that the operator runs. */
  | 'operator';

/**
 * Deadline in milliseconds for RPC calls during which a client of the gateway is waiting. The deadline is
 * short enough that a client gets an error within two seconds if the service does not respond.
 */
export const interactiveMs = 1_700;

/** A request/reply contract over NATS core. */
export interface RpcContract<Request extends z.ZodType = z.ZodType, Reply extends z.ZodType = z.ZodType> {
  readonly kind: 'rpc';
  /**
   * The subject, `<server>.<verb-noun>.v<n>`. A caller sends a request for a contract with `perInstance` to
   * the subject `<subject>.<instanceId>`.
   */
  readonly subject: string;
  readonly server: ServiceName;
  readonly callers: readonly ServiceName[];
  /** Whether each instance listens on a separate subject instead of joining a queue group. */
  readonly perInstance: boolean;
  /**
   * Maximum waiting time of the caller, in milliseconds. A caller that has less time left waits only for the
   * remaining time.
   */
  readonly deadlineMs: number;
  readonly request: Request;
  readonly reply: Reply;
}

/**
 * A broadcast contract over NATS core. Every instance of every listening service receives the broadcast. A
 * broadcast has no reply.
 */
export interface BroadcastContract<Message extends z.ZodType = z.ZodType> {
  readonly kind: 'broadcast';
  readonly subject: string;
  readonly publisher: ServiceName;
  readonly listeners: readonly ServiceName[];
  readonly message: Message;
}

/** A job in a BullMQ queue. */
export interface JobContract<Data extends z.ZodType = z.ZodType> {
  readonly kind: 'job';
  readonly queue: string;
  readonly name: string;
  readonly data: Data;
}

export function defineRpc<Request extends z.ZodType, Reply extends z.ZodType>(
  contract: Omit<RpcContract<Request, Reply>, 'kind' | 'perInstance'> & { perInstance?: boolean },
): RpcContract<Request, Reply> {
  return { perInstance: false, ...contract, kind: 'rpc' };
}

export function defineBroadcast<Message extends z.ZodType>(
  contract: Omit<BroadcastContract<Message>, 'kind'>,
): BroadcastContract<Message> {
  return { ...contract, kind: 'broadcast' };
}

export function defineJob<Data extends z.ZodType>(
  contract: Omit<JobContract<Data>, 'kind'>,
): JobContract<Data> {
  return { ...contract, kind: 'job' };
}
