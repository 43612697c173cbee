import type { Counter, Histogram, Metrics } from '@gateway/observability';

/** What the edge measures of trouble: its providers', and its own when more comes than it can take. */
export interface ResilienceMetrics {
  /** Calls beyond a request's first, by why there was one. */
  readonly retries: Counter<'kind'>;
  /** Calls that got no answer a client wants, before its first byte. */
  readonly upstreamFailures: Counter<'reason'>;
  readonly retryBudgetExhausted: Counter;
  readonly breakerChanges: Counter<'to'>;
  /** Requests that were turned away. */
  readonly shed: Counter<'reason'>;
  /** How long requests that were served waited for their turn. */
  readonly queueSeconds: Histogram;
  watchOpenBreakers(count: () => number): void;
  watchQueue(length: () => number): void;
}

export function createResilienceMetrics(metrics: Metrics): ResilienceMetrics {
  return { ...createUpstreamMetrics(metrics), ...createAdmissionMetrics(metrics) };
}

type AdmissionMetrics = Pick<ResilienceMetrics, 'shed' | 'queueSeconds' | 'watchQueue'>;

function createUpstreamMetrics(metrics: Metrics): Omit<ResilienceMetrics, keyof AdmissionMetrics> {
  return {
    retries: metrics.counter({
      name: 'gateway_upstream_retries_total',
      help: 'Calls to providers beyond the first of a request: the same call again, another credential, a fallback, or a hedge beside a slow call.',
      labels: ['kind'],
    }),
    upstreamFailures: metrics.counter({
      name: 'gateway_upstream_failures_total',
      help: 'Calls to providers that failed before the first byte of their answer, retried or not.',
      labels: ['reason'],
    }),
    retryBudgetExhausted: metrics.counter({
      name: 'gateway_retry_budget_exhausted_total',
      help: 'Failures that were not retried because the budget for that was used up.',
    }),
    breakerChanges: metrics.counter({
      name: 'gateway_breaker_transitions_total',
      help: 'Circuit breakers that opened or closed.',
      labels: ['to'],
    }),
    watchOpenBreakers: (count) => {
      metrics.gauge({
        name: 'gateway_breakers_open',
        help: 'Backends (a provider under one credential) whose circuit breaker is open.',
        collect: count,
      });
    },
  };
}

function createAdmissionMetrics(metrics: Metrics): AdmissionMetrics {
  return {
    shed: metrics.counter({
      name: 'gateway_requests_shed_total',
      help: 'Requests turned away with 503 because the gateway, or their provider, had as many as it can take.',
      labels: ['reason'],
    }),
    queueSeconds: metrics.histogram({
      name: 'gateway_queue_seconds',
      help: 'How long requests waited for their turn, of those that waited.',
    }),
    watchQueue: (length) => {
      metrics.gauge({
        name: 'gateway_requests_queued',
        help: 'Requests that wait for their turn.',
        collect: length,
      });
    },
  };
}
