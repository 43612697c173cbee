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
      help: 'Request events by what became of them: written, repeated (in the log already) or dead.',
      labels: ['result'],
    }),
    lagSeconds: metrics.histogram({
      name: 'request_event_lag_seconds',
      help: 'From a batch being queued to it being in Postgres.',
    }),
    writeSeconds: metrics.histogram({
      name: 'request_event_write_seconds',
      help: 'What writing one batch took.',
    }),
    batchEvents: metrics.histogram({
      name: 'request_event_batch_size',
      help: 'Events in a batch.',
      buckets: sizeBuckets,
    }),
    depth: metrics.gauge({
      name: 'request_event_batches',
      help: 'Batches in the queue by state (waiting, active, delayed), and dead letters (dead), every five seconds.',
      labels: ['state'],
    }),
  };
}
