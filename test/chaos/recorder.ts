import { sendUntilEnd, type PartialAnswer, type Sent } from '../e2e/http.fixture.ts';
import type { Operation, OperationKind, RegisterAccess } from './history.ts';

/** An edge in the stack, to which clients send requests. */
export interface Edge {
  readonly name: string;
  readonly url: string;
}

/** A request that a client sends. */
export interface Given {
  readonly kind: OperationKind;
  readonly accountId: string;
  readonly keyId: string;
  readonly edge: Edge;
  readonly sent: Sent;
  readonly id?: string;
  readonly subjectKeyId?: string | null;
  /** Returns the operation's register accesses. The argument is null if the client received no complete response. */
  readonly accessesOf?: (answer: PartialAnswer | null) => RegisterAccess[];
  /** Whether a response with status 200 is complete. A stream is complete only with its last event. */
  readonly isComplete?: (text: string) => boolean;
}

/** Records operations and their times. */
export class Recorder {
  readonly operations: Operation[] = [];
  readonly now: () => number;
  #count = 0;

  constructor(now: () => number) {
    this.now = now;
  }

  nextId(): string {
    this.#count += 1;
    return `op-${this.#count}`;
  }

  /** Sends a request and records the operation. Returns null if the client received no complete response. */
  async send(given: Given): Promise<PartialAnswer | null> {
    const { kind, accountId, keyId, edge, sent, subjectKeyId = null } = given;
    const id = given.id ?? this.nextId();
    const startMs = this.now();
    const answer = await sendUntilEnd(edge.url, {
      ...sent,
      headers: { ...sent.headers, 'x-request-id': id },
    }).catch(() => null);
    const endMs = this.now();
    const isWhole =
      answer?.brokenBy === null && (answer.status !== 200 || (given.isComplete?.(answer.text) ?? true));
    const whole = isWhole ? answer : null;
    const requestId = answer?.headers['x-request-id'];
    this.operations.push({
      ...{ id, kind, accountId, keyId, edge: edge.name, startMs, endMs, subjectKeyId, isWhole },
      status: answer?.status ?? 0,
      code: answer === null ? null : readCode(answer),
      requestId: typeof requestId === 'string' ? requestId : null,
      accesses: given.accessesOf?.(whole) ?? [],
    });
    return whole;
  }
}

interface ErrorBody {
  readonly error?: {
    readonly code?: string | null;
    readonly type?: string;
    readonly details?: { readonly error_code?: string };
  };
}

/** Returns the error code in a response of any format, or null if there is no error. */
function readCode({ status, headers, text }: PartialAnswer): string | null {
  if (headers['x-svc-error-source'] === 'provider') return 'provider_error';
  const body = status < 400 ? findErrorEvent(text) : text;
  if (body === undefined) return null;
  try {
    const { error } = JSON.parse(body) as ErrorBody;
    return error?.details?.error_code ?? error?.code ?? error?.type ?? `status_${status}`;
  } catch {
    return `status_${status}`;
  }
}

/** Returns the data of a stream's error event. */
function findErrorEvent(text: string): string | undefined {
  return /^data: (\{"(?:error|type":"error).*)$/m.exec(text)?.[1];
}
