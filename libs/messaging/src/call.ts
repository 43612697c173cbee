import type { RpcContract } from '@gateway/contracts';
import { GatewayError } from '@gateway/errors';
import { currentScope, SpanKind, withSpan } from '@gateway/observability';
import { errors, type Msg, type NatsConnection } from '@nats-io/transport-node';
import type { Connection, SilentServices } from './connection.ts';
import {
  isErrorReply,
  parseErrorReply,
  decodeJson,
  encodeJson,
  messageBytesMax,
  subjectOf,
  renderTrace,
} from './message-format.ts';
import type { CallOptions, ParsedReplyOf, RequestOf } from './messaging.ts';

/** Errors of calls that did not reach a server. */
const unreached = new WeakSet<GatewayError>();

/**
 * Whether a call failed because no server received the call, or because the connection was lost. Retrying is
 * useful only for undelivered calls and lost connections. A server that did not reply in time will probably
 * not reply to the next call either.
 */
export function isUnreached(error: unknown): boolean {
  return error instanceof GatewayError && unreached.has(error);
}

/** Sends an RPC call over a connection. See `Messaging.call`. */
export async function callOver<Contract extends RpcContract>(
  connection: Connection,
  contract: Contract,
  request: RequestOf<Contract>,
  options: CallOptions,
): Promise<ParsedReplyOf<Contract>> {
  const nats = connection.current;
  if (nats === undefined) throw notReached(contract, 'messaging is not connected');
  const subject = subjectOf(contract, options.instanceId);
  const data = encodeJson(request);
  if (data.length > messageBytesMax)
    throw unavailable(
      contract,
      `the request of ${data.length} bytes exceeds the limit of ${messageBytesMax}`,
    );
  const attributes = { 'rpc.system.name': 'nats', 'rpc.method': contract.subject };
  return withSpan(
    contract.subject,
    attributes,
    () =>
      waitForReply(
        connection,
        contract,
        options.signal,
        ask(nats, connection.silentServices, { contract, subject, data, options }),
      ).then((reply) => readReply(contract, reply)),
    SpanKind.CLIENT,
  );
}

interface Asked {
  readonly contract: RpcContract;
  readonly subject: string;
  readonly data: Buffer;
  readonly options: CallOptions;
}

async function ask(
  nats: NatsConnection,
  silent: SilentServices,
  { contract, subject, data, options }: Asked,
): Promise<Msg> {
  const { server } = contract;
  const budget = isBudgeted(options) ? currentScope() : undefined;
  const wantedMs = contract.deadlineMs - (budget?.lostMs ?? 0);
  const limit =
    options.deadlineMs === undefined
      ? silent.limit(server, wantedMs)
      : { deadlineMs: options.deadlineMs, isProbe: false };
  const startedAt = performance.now();
  try {
    const deadlineMs = Math.floor(limit.deadlineMs);
    if (deadlineMs < 1) throw unavailable(contract, 'the deadline has passed');
    const reply = await request(nats, { contract, subject, data, deadlineMs });
    silent.noteReply(server);
    return reply;
  } catch (error) {
    if (budget) budget.lostMs += performance.now() - startedAt;
    if (error instanceof GatewayError && error.cause instanceof errors.TimeoutError)
      silent.noteTimeout(server, startedAt);
    throw error;
  } finally {
    if (limit.isProbe) silent.endProbe(server);
  }
}

async function request(
  nats: NatsConnection,
  {
    contract,
    subject,
    data,
    deadlineMs,
  }: Pick<Asked, 'contract' | 'subject' | 'data'> & { readonly deadlineMs: number },
): Promise<Msg> {
  const headers = renderTrace();
  try {
    const options = { timeout: deadlineMs, ...(headers === undefined ? {} : { headers }) };
    return await nats.request(subject, data, options);
  } catch (error) {
    const why = explain(error, deadlineMs);
    throw isWithoutServer(error) ? notReached(contract, why, error) : unavailable(contract, why, error);
  }
}

/**
 * Returns whether a call shares its request's time budget. The time that failed calls took is deducted from
 * the deadlines of later calls. Because calls share a time budget, a request never waits for several full
 * deadlines in sequence. Callers that pass a deadline or a signal limit the time themselves.
 */
function isBudgeted({ deadlineMs, signal }: CallOptions): boolean {
  return deadlineMs === undefined && signal === undefined;
}

function readReply<Contract extends RpcContract>(contract: Contract, reply: Msg): ParsedReplyOf<Contract> {
  let body: unknown;
  try {
    if (isErrorReply(reply.headers)) throw parseErrorReply(reply.data, contract.subject);
    body = decodeJson(reply.data);
  } catch (error) {
    if (error instanceof GatewayError) throw error;
    throw unavailable(contract, 'the reply is not JSON', error);
  }
  const parsed = contract.reply.safeParse(body);
  if (parsed.success) return parsed.data as ParsedReplyOf<Contract>;
  const at = parsed.error.issues.map((issue) => `${issue.path.join('.')}: ${issue.code}`);
  throw unavailable(contract, `the reply breaks the contract (${at.slice(0, 5).join(', ')})`);
}

/** Rejects if the connection is lost or the signal is aborted. Replies that arrive later are ignored. */
function waitForReply(
  { waitingForReplies }: Connection,
  contract: RpcContract,
  signal: AbortSignal | undefined,
  reply: Promise<Msg>,
): Promise<Msg> {
  return new Promise((resolve, reject) => {
    const cut = (): void => reject(notReached(contract, 'the connection was lost'));
    const abandon = (): void => reject(unavailable(contract, 'the caller aborted the call', signal?.reason));
    const settle = (): void => {
      waitingForReplies.delete(cut);
      signal?.removeEventListener('abort', abandon);
    };
    waitingForReplies.add(cut);
    if (signal?.aborted) abandon();
    signal?.addEventListener('abort', abandon, { once: true });
    reply.then(resolve, reject).finally(settle);
  });
}

function unavailable(contract: RpcContract, why: string, cause?: unknown): GatewayError {
  return new GatewayError('service_unavailable', { detail: `${contract.subject}: ${why}`, cause });
}

function notReached(contract: RpcContract, why: string, cause?: unknown): GatewayError {
  const error = unavailable(contract, why, cause);
  unreached.add(error);
  return error;
}

function isWithoutServer(error: unknown): boolean {
  if (error instanceof errors.RequestError) return error.isNoResponders();
  return error instanceof errors.NoRespondersError;
}

function explain(error: unknown, deadlineMs: number): string {
  if (error instanceof errors.TimeoutError) return `no reply within ${deadlineMs} ms`;
  if (isWithoutServer(error)) return 'nobody serves it';
  return error instanceof Error ? error.message : String(error);
}
