import type { RpcContract } from '@gateway/contracts';
import { GatewayError } from '@gateway/errors';
import { SpanKind, withSpan } from '@gateway/observability';
import { errors, type Msg, type NatsConnection } from '@nats-io/transport-node';
import type { Connection } from './connection.ts';
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

/** Sends an RPC call over a connection. See `Messaging.call`. */
export async function callOver<Contract extends RpcContract>(
  connection: Connection,
  contract: Contract,
  request: RequestOf<Contract>,
  options: CallOptions,
): Promise<ParsedReplyOf<Contract>> {
  const nats = connection.current;
  if (nats === undefined) throw unavailable(contract, 'messaging is not connected');
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
      waitForReply(connection, contract, options.signal, ask(nats, contract, subject, data, options)).then(
        (reply) => readReply(contract, reply),
      ),
    SpanKind.CLIENT,
  );
}

async function ask(
  nats: NatsConnection,
  contract: RpcContract,
  subject: string,
  data: Buffer,
  { deadlineMs = contract.deadlineMs }: CallOptions,
): Promise<Msg> {
  if (deadlineMs < 1) throw unavailable(contract, 'the deadline has passed');
  const headers = renderTrace();
  try {
    return await nats.request(subject, data, {
      timeout: deadlineMs,
      ...(headers === undefined ? {} : { headers }),
    });
  } catch (error) {
    throw unavailable(contract, explain(error, deadlineMs), error);
  }
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

/** Rejects if the connection is lost or the signal aborts. A reply that arrives later is ignored. */
function waitForReply(
  { waitingForReplies }: Connection,
  contract: RpcContract,
  signal: AbortSignal | undefined,
  reply: Promise<Msg>,
): Promise<Msg> {
  return new Promise((resolve, reject) => {
    const cut = (): void => reject(unavailable(contract, 'the connection was lost'));
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

function explain(error: unknown, deadlineMs: number): string {
  if (error instanceof errors.TimeoutError) return `no reply within ${deadlineMs} ms`;
  if (error instanceof errors.NoRespondersError) return 'nobody serves it';
  if (error instanceof errors.RequestError && error.isNoResponders()) return 'nobody serves it';
  return error instanceof Error ? error.message : String(error);
}
