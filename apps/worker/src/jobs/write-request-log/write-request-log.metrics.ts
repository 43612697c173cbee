import { sizeBuckets, type Counter, type Gauge, type Histogram, type Metrics } from '@gateway/observability';

export interface WriteRequestLogMetrics {
  readonly events: Counter<'result'>;
  readonly lagSeconds: Histogram;
  readonly writeSeconds: Histogram;
  readonly batchEvents: Histogram;
  readonly depth: Gauge<'state'>;
}

export function createWriteRequestLogMetrics(metrics: Metrics): WriteRequestLogMetrics {
  return {
    events: metrics.counter({
      name: 'request_events_total',
      help: 'Request events by result: written, repeated (already in the log) or dead.',
      labels: ['result'],
    }),
    lagSeconds: metrics.histogram({
      name: 'request_event_lag_seconds',
      help: 'Time from queueing a batch to its commit in Postgres, in seconds.',
    }),
    writeSeconds: metrics.histogram({
      name: 'request_event_write_seconds',
      help: 'Time to write one batch, in seconds.',
    }),
    batchEvents: metrics.histogram({
      name: 'request_event_batch_size',
      help: 'Number of events in a batch.',
      buckets: sizeBuckets,
    }),
    depth: metrics.gauge({
      name: 'request_event_batches',
      help: 'Batches in the queue by state (waiting, active, delayed), and dead letters (dead). Updated every five seconds.',
      labels: ['state'],
    }),
  };
}
