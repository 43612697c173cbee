import type { Counter, Gauge, Histogram, Metrics } from '@gateway/observability';
import { sizeBuckets } from '@gateway/observability';

/**
 * Attribute names from the OpenTelemetry conventions for generative AI, as Prometheus spells them. The model
 * name is not a metric label, because the number of models is too large.
 */
type GenAiLabel = 'gen_ai_operation_name' | 'gen_ai_provider_name';
const genAiLabels = ['gen_ai_operation_name', 'gen_ai_provider_name'] as const;

/**
 * The edge's metrics. Each metric label has only a few possible values (endpoint, status, reason), and no
 * label contains an account, API key or model.
 */
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
  /** Number of requests that a provider rejected because of bound reasoning. */
  readonly boundRejections: Counter<'outcome'>;
  /** Number of provider reports that reasoning was dropped or did not match its prefix. */
  readonly inputTransformations: Counter<'type' | 'reason'>;
  /** Number of calls to denied tools by models. */
  readonly deniedCalls: Counter;
  /** Number of calls to account routes that were rejected with status 429. */
  readonly accountCallsLimited: Counter<'budget'>;
}

export function createEdgeMetrics(metrics: Metrics): EdgeMetrics {
  return {
    ...createRequestMetrics(metrics),
    ...createPlanMetrics(metrics),
    ...createBoundMetrics(metrics),
  };
}

type RequestMetrics = Pick<
  EdgeMetrics,
  | 'requests'
  | 'inFlight'
  | 'overheadSeconds'
  | 'firstByteSeconds'
  | 'tokens'
  | 'callSeconds'
  | 'accountCallsLimited'
>;

function createRequestMetrics(metrics: Metrics): RequestMetrics {
  return {
    requests: metrics.counter({
      name: 'gateway_requests_total',
      help: 'Requests by endpoint and final status.',
      labels: ['endpoint', 'status'],
    }),
    accountCallsLimited: metrics.counter({
      name: 'gateway_account_calls_limited_total',
      help: 'Calls of account routes rejected with 429, by the budget that was used up: the key’s own limit, or a budget of the account.',
      labels: ['budget'],
    }),
    inFlight: metrics.gauge({ name: 'gateway_requests_in_flight', help: 'Requests being served now.' }),
    overheadSeconds: metrics.histogram({
      name: 'gateway_overhead_seconds',
      help: 'Time from the arrival of a request until it was sent to the provider.',
      labels: ['endpoint'],
    }),
    firstByteSeconds: metrics.histogram({
      name: 'gen_ai_server_time_to_first_token_seconds',
      help: 'Time from the provider call until the first byte of its response was forwarded.',
    }),
    tokens: metrics.histogram({
      name: 'gen_ai_client_token_usage',
      help: 'Tokens of a request (input) and its response (output), as billed by the provider or estimated.',
      labels: [...genAiLabels, 'gen_ai_token_type'],
      buckets: sizeBuckets,
    }),
    callSeconds: metrics.histogram({
      name: 'gen_ai_client_operation_duration_seconds',
      help: 'Time from the provider call until the end of its response.',
      labels: genAiLabels,
    }),
  };
}

type BoundMetrics = Pick<EdgeMetrics, 'boundRejections' | 'inputTransformations'>;

function createBoundMetrics(metrics: Metrics): BoundMetrics {
  const boundRejections = metrics.counter({
    name: 'gateway_bound_rejections_total',
    help: 'Requests whose reasoning a provider rejected as bound to a different prefix: sent again without that reasoning (dropped, failed), or relayed because the gateway had changed nothing or the client had set the behavior.',
    labels: ['outcome'],
  });
  // Prometheus detects an increase only if it scraped the time series before the increase.
  for (const outcome of ['dropped', 'failed', 'relayed']) boundRejections.inc({ outcome }, 0);
  return {
    boundRejections,
    inputTransformations: metrics.counter({
      name: 'gateway_input_transformations_total',
      help: 'Reasoning in requests that a provider reported as dropped or mismatched, by its own type and reason.',
      labels: ['type', 'reason'],
    }),
  };
}

function createPlanMetrics(metrics: Metrics): Omit<EdgeMetrics, keyof RequestMetrics | keyof BoundMetrics> {
  return {
    invalidCalls: metrics.counter({
      name: 'gateway_invalid_calls_total',
      help: 'Tool calls whose arguments do not match the client’s tool definition, by whether the definition was sent shortened.',
      labels: ['definition'],
    }),
    deniedCalls: metrics.counter({
      name: 'gateway_denied_calls_total',
      help: 'Tools that models called although the tool lists of the key do not permit them, once per response and tool.',
    }),
    planSeconds: metrics.histogram({
      name: 'gateway_plan_seconds',
      help: 'Time to plan a request with tools.',
    }),
    plans: metrics.counter({
      name: 'gateway_plans_total',
      help: 'Plans by reason.',
      labels: ['reason'],
    }),
    planDefects: metrics.counter({
      name: 'gateway_plan_defects_total',
      help: 'Plans that violated an invariant and were replaced with the identity plan.',
    }),
    toolsIn: metrics.counter({
      name: 'gateway_tools_input_total',
      help: 'Tools offered by clients, after tool lists.',
    }),
    toolsOut: metrics.counter({ name: 'gateway_tools_output_total', help: 'Tools forwarded to providers.' }),
  };
}

/** Metrics for provider failures and overload. */
export interface ResilienceMetrics {
  /** Number of extra provider calls of each kind (retry, fallback or hedge). */
  readonly retries: Counter<'kind'>;
  /** Number of provider calls that failed before the first byte of a usable response. */
  readonly upstreamFailures: Counter<'reason'>;
  readonly retryBudgetExhausted: Counter;
  readonly breakerChanges: Counter<'to'>;
  /** Number of requests that were rejected because of overload. */
  readonly shed: Counter<'reason'>;
  /** Time for which admitted requests waited in the queue. */
  readonly queueSeconds: Histogram;
  /** Number of requests that this deployment sent to itself. */
  readonly loops: Counter;
  watchOpenBreakers(count: () => number): void;
  watchQueue(length: () => number): void;
  /** Registers a metric for the number of bytes that requests hold in memory or on disk. */
  watchHeldBytes(place: HeldPlace, bytes: () => number): void;
}

export function createResilienceMetrics(metrics: Metrics): ResilienceMetrics {
  return { ...createUpstreamMetrics(metrics), ...createAdmissionMetrics(metrics) };
}

/** The bytes that a request holds can be in memory or on disk. */
type HeldPlace = 'memory' | 'disk';

type AdmissionMetrics = Pick<
  ResilienceMetrics,
  'shed' | 'loops' | 'queueSeconds' | 'watchQueue' | 'watchHeldBytes'
>;

function createUpstreamMetrics(metrics: Metrics): Omit<ResilienceMetrics, keyof AdmissionMetrics> {
  return {
    retries: metrics.counter({
      name: 'gateway_upstream_retries_total',
      help: 'Additional provider calls of a request: a retry, another credential, a fallback, or a hedge of a slow call.',
      labels: ['kind'],
    }),
    upstreamFailures: metrics.counter({
      name: 'gateway_upstream_failures_total',
      help: 'Provider calls that failed before the first byte of their response, retried or not.',
      labels: ['reason'],
    }),
    retryBudgetExhausted: metrics.counter({
      name: 'gateway_retry_budget_exhausted_total',
      help: 'Failures that were not retried because the retry budget was used up.',
    }),
    breakerChanges: metrics.counter({
      name: 'gateway_breaker_transitions_total',
      help: 'Transitions of circuit breakers.',
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
      help: 'Requests rejected with 503 because the gateway or the provider was at its limit.',
      labels: ['reason'],
    }),
    loops: metrics.counter({
      name: 'gateway_request_loops_total',
      help: 'Requests rejected with 508 because this gateway had sent them itself.',
    }),
    queueSeconds: metrics.histogram({
      name: 'gateway_queue_seconds',
      help: 'Waiting time of requests that had to wait for their turn.',
    }),
    watchQueue: (length) => {
      metrics.gauge({
        name: 'gateway_requests_queued',
        help: 'Requests that are waiting for their turn.',
        collect: length,
      });
    },
    watchHeldBytes: (place, bytes) => {
      metrics.gauge({
        name: `gateway_held_${place}_bytes`,
        help: `Bytes reserved for request and response bodies in ${place === 'memory' ? 'memory' : 'temporary files'}.`,
        collect: bytes,
      });
    },
  };
}
