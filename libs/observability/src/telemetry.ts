import { context, trace } from '@opentelemetry/api';
import { AsyncLocalStorageContextManager } from '@opentelemetry/context-async-hooks';
import { ATTR_SERVICE_NAME } from '@opentelemetry/semantic-conventions';
import { useTracer } from './tracing.ts';
import { withTimeout } from './with-timeout.ts';

export interface TelemetryOptions {
  readonly serviceName: string;
  readonly instanceId: string;
  /** Base address of an OTLP/HTTP receiver, as in OTEL_EXPORTER_OTLP_ENDPOINT. Without it tracing is off. */
  readonly otlpEndpoint?: string | undefined;
  /** Share of new traces that is recorded, 0 to 1. A trace that came in keeps its own decision. */
  readonly sampleRatio: number;
}

export interface Telemetry {
  /** Sends what is still held, for at most `exportTimeoutMs`, and stops. */
  shutdown(): Promise<void>;
}

const exportDelayMs = 1_000;
const exportTimeoutMs = 5_000;
/** Spans that wait for export; what comes on top is dropped. */
const waitingSpansMax = 8_192;

/**
 * Starts tracing; the first thing a process does. The SDK is loaded only when there is somewhere to send spans to.
 * Without, only trace ids are kept, so that they still reach the log.
 */
export async function startTelemetry(options: TelemetryOptions): Promise<Telemetry> {
  if (options.otlpEndpoint === undefined) return { shutdown: () => Promise.resolve() };
  context.setGlobalContextManager(new AsyncLocalStorageContextManager().enable());
  const sdk = await createSdk(options, options.otlpEndpoint);
  sdk.start();
  useTracer(trace.getTracer('gateway'));
  return {
    async shutdown() {
      useTracer(undefined);
      // A receiver that is away must not fail or hold up the end of the process.
      await withTimeout(
        sdk.shutdown().catch(() => undefined),
        exportTimeoutMs,
        undefined,
      );
    },
  };
}

async function createSdk(options: TelemetryOptions, otlpEndpoint: string) {
  const [{ NodeSDK }, { OTLPTraceExporter }, sdkTrace, { resourceFromAttributes }] = await Promise.all([
    import('@opentelemetry/sdk-node'),
    import('@opentelemetry/exporter-trace-otlp-http'),
    import('@opentelemetry/sdk-trace'),
    import('@opentelemetry/resources'),
  ]);
  const exporter = new OTLPTraceExporter({
    url: `${otlpEndpoint.replace(/\/+$/, '')}/v1/traces`,
    timeoutMillis: exportTimeoutMs,
  });
  return new NodeSDK({
    resource: resourceFromAttributes({
      [ATTR_SERVICE_NAME]: options.serviceName,
      'service.instance.id': options.instanceId,
    }),
    autoDetectResources: false,
    instrumentations: [],
    metricReaders: [],
    logRecordProcessors: [],
    sampler: new sdkTrace.ParentBasedSampler({
      root: new sdkTrace.TraceIdRatioBasedSampler(options.sampleRatio),
    }),
    spanProcessors: [
      new sdkTrace.BatchSpanProcessor({
        exporter,
        scheduledDelayMillis: exportDelayMs,
        exportTimeoutMillis: exportTimeoutMs,
        maxQueueSize: waitingSpansMax,
        maxExportBatchSize: 512,
      }),
    ],
  });
}
