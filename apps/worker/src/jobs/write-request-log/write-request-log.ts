import { requestEventBatch, type DeadRequestEvent } from '@gateway/contracts';
import { SpanKind, continueTrace, failpoint } from '@gateway/observability';
import { parseBatch, type ParsedEvent, type RefusedEvent } from './parse-batch.ts';
import type { RequestLogRow } from './request-log-row.ts';
import type { UsedRow } from './tool-use.ts';

/** Thrown for rows that Postgres rejects permanently. */
export class RowsRefused extends Error {}

export interface RequestLogWriter {
  /**
   * Writes all log rows and their tool use, or writes nothing. Returns the number of rows that were added or
   * replaced. Storing a request again changes nothing, except that a row with another status replaces an
   * `interrupted` row. Rows for a deleted account are not written. The request ids of the rows must be distinct.
   * @throws RowsRefused if a row is invalid. After a database error, the method rejects with the database error,
   * and the write can be retried.
   */
  write(rows: readonly UsedRow[]): Promise<number>;
}

export interface DeadLetters {
  /**
   * Stores events that cannot be written to the request log. An event is stored only once, even if it is
   * passed several times.
   */
  add(letters: readonly DeadRequestEvent[]): Promise<void>;
  /** Deletes an account's stored events. Throws `service_unavailable` while the queue is unavailable. */
  removeOf(accountId: string): Promise<void>;
}

export interface WriteRequestLogContext {
  readonly writer: RequestLogWriter;
  readonly deadLetters: DeadLetters;
  /** Adds to each event the reason why its request missed the prompt cache. */
  readonly addCacheMisses: (events: readonly ParsedEvent[]) => Promise<readonly ParsedEvent[]>;
  readonly now: () => number;
  /** Accounts for which the written batches contain evidence about recall. */
  readonly shadowAccounts: Set<string>;
  /** A callback that receives the rows that a batch added or replaced in the request log. */
  readonly onWritten?: (rows: readonly RequestLogRow[]) => void;
}

interface WrittenBatch {
  /** Number of requests that are new in the request log, or that replaced an `interrupted` row. */
  readonly written: number;
  /** Number of events that the request log already contained. */
  readonly repeated: number;
  readonly dead: number;
}

/**
 * Writes a batch of request events. After the call, every event is either in the request log or among the
 * dead letters. Throws an error if the database or the queue is unavailable. After an error, the batch can be
 * retried any number of times.
 */
export async function writeRequestLog(
  context: WriteRequestLogContext,
  batchId: string,
  data: unknown,
): Promise<WrittenBatch> {
  const { events: parsed, refused } = parseBatch(data, context.now());
  const events = await context.addCacheMisses(parsed);
  FAILPOINT: failpoint('ship-commit');
  const result = await traceEvents(events, batchId, () => writeOrRefuse(context.writer, events));
  for (const { row } of events)
    if (row.needed_k !== null || row.recovered_tools.length > 0) context.shadowAccounts.add(row.account_id);
  // A repeated batch writes nothing, so its events are not counted twice.
  if (result.written > 0) context.onWritten?.(events.map(({ row }) => row));
  const dead = [...refused, ...result.refused];
  if (dead.length > 0)
    await context.deadLetters.add(dead.map((event) => renderDeadLetter(context, batchId, event)));
  return {
    written: result.written,
    repeated: events.length - result.refused.length - result.written,
    dead: dead.length,
  };
}

interface WriteResult {
  readonly written: number;
  readonly refused: readonly RefusedEvent[];
}

/** Splits rejected rows in half repeatedly, until only the invalid rows are left. */
async function writeOrRefuse(writer: RequestLogWriter, events: readonly ParsedEvent[]): Promise<WriteResult> {
  if (events.length === 0) return { written: 0, refused: [] };
  try {
    return {
      written: await writer.write(
        events.map(({ row, source }) => ({ row, offeredTools: source.offeredTools })),
      ),
      refused: [],
    };
  } catch (error) {
    if (!(error instanceof RowsRefused)) throw error;
    const [first] = events;
    if (events.length === 1 && first) {
      return { written: 0, refused: [{ ...first, reason: error.message }] };
    }
    const half = events.length >> 1;
    const left = await writeOrRefuse(writer, events.slice(0, half));
    const right = await writeOrRefuse(writer, events.slice(half));
    return { written: left.written + right.written, refused: [...left.refused, ...right.refused] };
  }
}

function renderDeadLetter(
  context: WriteRequestLogContext,
  batchId: string,
  { source, traceparent, reason }: RefusedEvent,
): DeadRequestEvent {
  return { batchId, event: source, traceparent, reason, at: new Date(context.now()).toISOString() };
}

/** Writes a batch with one trace span per event. Each span belongs to the trace of the event's request. */
async function traceEvents<T>(
  events: readonly ParsedEvent[],
  batchId: string,
  write: () => Promise<T>,
): Promise<T> {
  const { promise, resolve, reject } = Promise.withResolvers<T>();
  for (const { row, traceparent } of events) {
    if (traceparent === null) continue;
    const attributes = {
      // See https://opentelemetry.io/docs/specs/semconv/messaging/messaging-spans/
      'messaging.system': 'bullmq',
      'messaging.operation.type': 'process',
      'messaging.destination.name': requestEventBatch.queue,
      'messaging.message.id': batchId,
      'messaging.batch.message_count': events.length,
      'svc.request_id': row.id,
    };
    const span = continueTrace(
      traceparent,
      'write request-log',
      attributes,
      () => promise,
      SpanKind.CONSUMER,
    );
    // Each trace span ends when the batch ends. If the batch fails, the error is thrown once, after all spans have ended.
    span.catch(() => undefined);
  }
  write().then(resolve, reject);
  return promise;
}
