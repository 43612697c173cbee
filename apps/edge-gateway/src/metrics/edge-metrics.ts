import { sizeBuckets, type Counter, type Gauge, type Histogram, type Metrics } from '@gateway/observability';

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
