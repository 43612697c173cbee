import { Job, Worker } from 'bullmq';
import { requestEventBatch, shippedRequestEventV1, type ShippedRequestEventV1 } from '@gateway/contracts';
import { z } from 'zod';
import { renderRequestLogRow, type RequestLogRow } from './request-log-row.ts';

/** An event that can be written to the request log. */
export interface ParsedEvent {
  readonly row: RequestLogRow;
  readonly source: ShippedRequestEventV1;
  readonly traceparent: string | null;
}

/** An event that cannot be written to the request log. */
export interface RefusedEvent {
  /** The original, unchanged input of the event. */
  readonly source: unknown;
  readonly traceparent: string | null;
  readonly reason: string;
}

export interface ParsedBatch {
  /**
   * The events of a batch, sorted by id without duplicates, so that two concurrent writes of batches never
   * deadlock.
   */
  readonly events: readonly ParsedEvent[];
  readonly refused: readonly RefusedEvent[];
}

const envelope = requestEventBatch.data.extend({ events: z.array(z.unknown()) });
const reasonCharsMax = 500;
/**
 * How far the time in a request id may lie in the past and in the future. Request ids outside the limits are corrupt
 * or forged. Without the limits, forged ids could create any number of monthly partitions.
 */
const agedMsMax = 400 * 86_400_000;
const aheadMsMax = 86_400_000;

/** Parses each event in a batch separately, so that an invalid event does not block the other events. */
export function parseBatch(data: unknown, nowMs: number): ParsedBatch {
  const batch = envelope.safeParse(data);
  if (!batch.success) {
    return { events: [], refused: [{ source: data, traceparent: null, reason: explain(batch.error) }] };
  }
  const events = new Map<string, ParsedEvent>();
  const refused: RefusedEvent[] = [];
  batch.data.events.forEach((source, at) => {
    const traceparent = batch.data.traceparents[at] ?? null;
    const parsed = parseEvent(source, traceparent, nowMs);
    if ('reason' in parsed) refused.push(parsed);
    else if (winsOver(parsed, events.get(parsed.row.id))) events.set(parsed.row.id, parsed);
  });
  const byId = [...events.values()].sort((a, b) => (a.row.id < b.row.id ? -1 : 1));
  return { events: byId, refused };
}

function parseEvent(source: unknown, traceparent: string | null, nowMs: number): ParsedEvent | RefusedEvent {
  const event = shippedRequestEventV1.safeParse(source);
  if (!event.success) return { source, traceparent, reason: explain(event.error) };
  try {
    const row = renderRequestLogRow(event.data);
    const agedMs = nowMs - Date.parse(row.created_at);
    if (agedMs > agedMsMax || agedMs < -aheadMsMax)
      throw new RangeError('the time in the request id is out of range');
    return { row, source: event.data, traceparent };
  } catch (error) {
    return { source, traceparent, reason: error instanceof Error ? error.message : String(error) };
  }
}

/**
 * Whether an event replaces another event of the same request. The first outcome of a request is kept, as in
 * the request log. However, any other outcome replaces the outcome `interrupted`.
 */
function winsOver(event: ParsedEvent, other: ParsedEvent | undefined): boolean {
  return other === undefined || (other.row.status === 'interrupted' && event.row.status !== 'interrupted');
}

function explain(error: z.ZodError): string {
  return z.prettifyError(error).slice(0, reasonCharsMax);
}

/**
 * A queue worker that accepts jobs with invalid JSON. BullMQ parses a job's data before any other code runs. A job
 * with invalid JSON would cause an error in BullMQ and stall permanently. `LenientJob` returns invalid JSON as text,
 * so that the batch is rejected like any other invalid batch.
 */
class LenientJob extends Job<unknown> {
  static override fromJSON<T, R, N extends string>(
    ...[queue, json, jobId]: Parameters<typeof Job.fromJSON>
  ): Job<T, R, N> {
    try {
      return super.fromJSON<T, R, N>(queue, json, jobId);
    } catch (error) {
      if (!(error instanceof SyntaxError)) throw error;
      return super.fromJSON<T, R, N>(
        queue,
        { ...json, data: JSON.stringify({ unreadable: json.data }) },
        jobId,
      );
    }
  }
}

export class LenientWorker extends Worker<unknown, void> {
  protected override get Job(): typeof Job {
    // BullMQ's job type and this job type differ only in the type of the job data.
    return LenientJob as unknown as typeof Job;
  }
}
