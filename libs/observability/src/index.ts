export { failpoint, type Failpoint } from './failpoint.ts';
export { genAi } from './genai-attributes.ts';
export {
  startHealthServer,
  type HealthServer,
  type HealthServerOptions,
  type Readiness,
} from './health-server.ts';
export { createLineLog, type LineLog, type LineLogOptions } from './line-log.ts';
export { createLogOutput, createLogger, type Logger, type LoggerOptions } from './logger.ts';
export type { Counter, Gauge } from './instruments/counter-and-gauge.ts';
export type { Histogram } from './instruments/histogram.ts';
export { createMetrics, durationBucketsSeconds, sizeBuckets, type Metrics, watchPool } from './metrics.ts';
export { redactText, redactValue } from './redaction/redact.ts';
export { redactedText } from './redaction/secret-patterns.ts';
export { secretCharsMin, SecretSet } from './redaction/secret-set.ts';
export { startTelemetry, type Telemetry, type TelemetryOptions } from './telemetry.ts';
export {
  currentTraceHeaders,
  currentTraceId,
  currentTraceparent,
  parseTraceHeaders,
  type TraceHeaders,
} from './trace-context.ts';
export {
  continueTrace,
  openSpan,
  recordFailure,
  redactAttributes,
  SpanKind,
  startRequestTrace,
  type IncomingTrace,
  withSpan,
  type Attributes,
  type RequestTrace,
  type Span,
} from './tracing.ts';
export { withTimeout } from './with-timeout.ts';
export { createScope, currentScope, currentSecrets, hideSecrets, runInScope } from './work-scope.ts';
