import { requestEventBatch } from '@gateway/contracts';
import { continueTrace, SpanKind } from '@gateway/observability';
import type { ParsedEvent } from './parse-batch.ts';

/** Runs the writing of a batch inside one span per event, each a part of its own request's trace. */
export async function traceEvents<T>(
  events: readonly ParsedEvent[],
  batchId: string,
  write: () => Promise<T>,
): Promise<T> {
  const { promise, resolve, reject } = Promise.withResolvers<T>();
  for (const { row, traceparent } of events) {
    if (traceparent === null) continue;
    const attributes = {
      // https://opentelemetry.io/docs/specs/semconv/messaging/messaging-spans/
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
    // Each span ends with the batch; a failure is thrown once, below.
    span.catch(() => undefined);
  }
  write().then(resolve, reject);
  return promise;
}
