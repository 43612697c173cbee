import type { Counter, Gauge, Histogram, Metrics } from '@gateway/observability';
import { sizeBuckets } from '@gateway/observability';

/** Attributes of the OpenTelemetry conventions for generative AI, as Prometheus writes them. Models are too many for a label. */
type GenAiLabel = 'gen_ai_operation_name' | 'gen_ai_provider_name';
const genAiLabels = ['gen_ai_operation_name', 'gen_ai_provider_name'] as const;

/** What the edge measures. Labels have few values: endpoint, status, reason; never an account, a key or a model. */
export interface EdgeMetrics {
  readonly requests: Counter<'endpoint' | 'status'>;
  readonly inFlight: Gauge;
  readonly overheadSeconds: Histogram<'endpoint'>;
  readonly planSeconds: Histogram;
  readonly plans: Counter<'reason'>;
  readonly planDefects: Counter;
  readonly toolsIn: Counter;
  readonly toolsOut: Counter;
  readonly firstByteSeconds: Histogram;
  readonly tokens: Histogram<GenAiLabel | 'gen_ai_token_type'>;
  readonly callSeconds: Histogram<GenAiLabel>;
  readonly invalidCalls: Counter<'definition'>;
}

export function createEdgeMetrics(metrics: Metrics): EdgeMetrics {
  return { ...createRequestMetrics(metrics), ...createPlanMetrics(metrics) };
}

type RequestMetrics = Pick<
  EdgeMetrics,
  'requests' | 'inFlight' | 'overheadSeconds' | 'firstByteSeconds' | 'tokens' | 'callSeconds'
>;

function createRequestMetrics(metrics: Metrics): RequestMetrics {
  return {
    requests: metrics.counter({
      name: 'gateway_requests_total',
      help: 'Requests by how they ended.',
      labels: ['endpoint', 'status'],
    }),
    inFlight: metrics.gauge({ name: 'gateway_requests_in_flight', help: 'Requests being served now.' }),
    overheadSeconds: metrics.histogram({
      name: 'gateway_overhead_seconds',
      help: 'From the arrival of a request until it went out to the provider.',
      labels: ['endpoint'],
    }),
    firstByteSeconds: metrics.histogram({
      name: 'gen_ai_server_time_to_first_token_seconds',
      help: 'From the call to the provider until the first byte of its answer went on.',
    }),
    tokens: metrics.histogram({
      name: 'gen_ai_client_token_usage',
      help: 'Tokens of a request (input) and of its answer (output), as providers billed them or as estimated.',
      labels: [...genAiLabels, 'gen_ai_token_type'],
      buckets: sizeBuckets,
    }),
    callSeconds: metrics.histogram({
      name: 'gen_ai_client_operation_duration_seconds',
      help: 'From the call to the provider until its answer was over.',
      labels: genAiLabels,
    }),
  };
}

function createPlanMetrics(metrics: Metrics): Omit<EdgeMetrics, keyof RequestMetrics> {
  return {
    invalidCalls: metrics.counter({
      name: 'gateway_invalid_calls_total',
      help: 'Calls whose arguments the definition of their tool refuses as the client wrote it, by whether it went out shortened.',
      labels: ['definition'],
    }),
    planSeconds: metrics.histogram({
      name: 'gateway_plan_seconds',
      help: 'Time to plan a request with tools.',
    }),
    plans: metrics.counter({
      name: 'gateway_plans_total',
      help: 'Plans by their reason.',
      labels: ['reason'],
    }),
    planDefects: metrics.counter({
      name: 'gateway_plan_defects_total',
      help: 'Plans that broke an invariant and were dropped for the identity plan.',
    }),
    toolsIn: metrics.counter({
      name: 'gateway_tools_input_total',
      help: 'Tools offered by clients, after tool lists.',
    }),
    toolsOut: metrics.counter({ name: 'gateway_tools_output_total', help: 'Tools forwarded to providers.' }),
  };
}

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
