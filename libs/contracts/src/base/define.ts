import type { z } from 'zod';

/** The processes that take part in messaging. Each is a NATS user of its own with rights for its subjects alone. */
export type ServiceName =
  | 'edge-gateway'
  | 'tool-router'
  | 'compressor'
  | 'account'
  | 'provider-vault'
  | 'billing'
  | 'worker'
  /** Set-up and maintenance commands run by whoever operates the suite. */
  | 'operator';

/** A request/reply exchange over NATS core. */
export interface RpcContract<Request extends z.ZodType = z.ZodType, Reply extends z.ZodType = z.ZodType> {
  readonly kind: 'rpc';
  /** `<server>.<verb-noun>.v<n>`. A private contract is called at `<subject>.<instanceId>`. */
  readonly subject: string;
  readonly server: ServiceName;
  readonly callers: readonly ServiceName[];
  /** Each instance listens for itself alone, at its own subject, instead of sharing a queue group. */
  readonly perInstance: boolean;
  /** How long a caller waits for the reply, unless it has less time left. */
  readonly deadlineMs: number;
  readonly request: Request;
  readonly reply: Reply;
}

/** A broadcast over NATS core: every instance of every listener gets it, and nobody answers. */
export interface BroadcastContract<Message extends z.ZodType = z.ZodType> {
  readonly kind: 'broadcast';
  readonly subject: string;
  readonly publisher: ServiceName;
  readonly listeners: readonly ServiceName[];
  readonly message: Message;
}

/** A BullMQ job. */
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
