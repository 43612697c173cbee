import { context, trace } from '@opentelemetry/api';
import { AsyncLocalStorageContextManager } from '@opentelemetry/context-async-hooks';
import { ATTR_SERVICE_NAME } from '@opentelemetry/semantic-conventions';
import { useTracer } from './tracing.ts';
import { withTimeout } from './with-timeout.ts';

export interface TelemetryOptions {
  readonly serviceName: string;
  readonly instanceId: string;
  /** Base URL of an OTLP/HTTP receiver, as in OTEL_EXPORTER_OTLP_ENDPOINT. If no URL is set, tracing is off. */
  readonly otlpEndpoint?: string | undefined;
  /**
   * Share of new traces to record, from 0 to 1. A trace that another service started keeps its original
   * sampling decision.
   */
  readonly sampleRatio: number;
}

export interface Telemetry {
  /** Exports the remaining spans for up to `exportTimeoutMs`, then stops the export. */
  shutdown(): Promise<void>;
}

const exportDelayMs = 1_000;
const exportTimeoutMs = 5_000;
/** Maximum number of spans queued for export, above which spans are dropped. */
const waitingSpansMax = 8_192;

/**
 * Starts tracing. Call this function before any other code in the process. The SDK is loaded only if a
 * receiver is configured. Without a receiver, the log contains trace ids, but no spans are exported.
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
      // An unavailable trace receiver must not make the shutdown fail or delay it.
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
    url: `${otlpEndpoint.replace(/(?<!\/)\/+$/, '')}/v1/traces`,
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
