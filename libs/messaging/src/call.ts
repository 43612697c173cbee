import type { RpcContract } from '@gateway/contracts';
import { GatewayError } from '@gateway/errors';
import { SpanKind, withSpan } from '@gateway/observability';
import { errors, type Msg, type NatsConnection } from '@nats-io/transport-node';
import { isErrorReply, parseErrorReply } from './error-reply.ts';
import type { CallOptions, ParsedReplyOf, RequestOf } from './messaging.ts';
import { decodeJson, encodeJson, messageBytesMax } from './payload.ts';
import { subjectOf } from './subject.ts';
import { renderTrace } from './trace-headers.ts';

/** Asks over a connection; see `Messaging.call`. */
export async function callOver<Contract extends RpcContract>(
  nats: NatsConnection | undefined,
  contract: Contract,
  request: RequestOf<Contract>,
  options: CallOptions,
): Promise<ParsedReplyOf<Contract>> {
  if (nats === undefined) throw unavailable(contract, 'the message bus is not connected');
  const subject = subjectOf(contract, options.instanceId);
  const data = encodeJson(request);
  if (data.length > messageBytesMax)
    throw unavailable(contract, `a request of ${data.length} bytes is too large`);
  const attributes = { 'rpc.system.name': 'nats', 'rpc.method': contract.subject };
  return withSpan(
    contract.subject,
    attributes,
    () => ask(nats, contract, subject, data, options),
    SpanKind.CLIENT,
  );
}

async function ask<Contract extends RpcContract>(
  nats: NatsConnection,
  contract: Contract,
  subject: string,
  data: Buffer,
  { deadlineMs = contract.deadlineMs, signal }: CallOptions,
): Promise<ParsedReplyOf<Contract>> {
  if (deadlineMs < 1) throw unavailable(contract, 'no time is left');
  const trace = renderTrace();
  const reply = await abandonOn(
    signal,
    contract,
    nats
      .request(subject, data, { timeout: deadlineMs, ...(trace === undefined ? {} : { headers: trace }) })
      .catch((error: unknown) => {
        throw unavailable(contract, explain(error, deadlineMs), error);
      }),
  );
  return readReply(contract, reply);
}

function readReply<Contract extends RpcContract>(contract: Contract, reply: Msg): ParsedReplyOf<Contract> {
  let body: unknown;
  try {
    if (isErrorReply(reply.headers)) throw parseErrorReply(reply.data, contract.subject);
    body = decodeJson(reply.data);
  } catch (error) {
    if (error instanceof GatewayError) throw error;
    throw unavailable(contract, 'a reply that is not JSON', error);
  }
  const parsed = contract.reply.safeParse(body);
  if (parsed.success) return parsed.data as ParsedReplyOf<Contract>;
  const at = parsed.error.issues.map((issue) => `${issue.path.join('.')}: ${issue.code}`);
  throw unavailable(contract, `a reply against the contract (${at.slice(0, 5).join(', ')})`);
}

/** Rejects as soon as the signal says so; the reply, when it comes, is nobody's. */
function abandonOn<T>(signal: AbortSignal | undefined, contract: RpcContract, reply: Promise<T>): Promise<T> {
  if (signal === undefined) return reply;
  return new Promise<T>((resolve, reject) => {
    const abandon = (): void => reject(unavailable(contract, 'given up by the caller', signal.reason));
    if (signal.aborted) abandon();
    signal.addEventListener('abort', abandon, { once: true });
    reply.then(resolve, reject).finally(() => signal.removeEventListener('abort', abandon));
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
