import 'reflect-metadata';
import { readFileSync } from 'node:fs';
import { connectMessaging, type Messaging } from '@gateway/messaging';
import { endOnSignal } from '@gateway/messaging/run-service';
import {
  createLineLog,
  createLogger,
  createLogOutput,
  createMetrics,
  startHealthServer,
  startTelemetry,
  type HealthServer,
  type LineLog,
  type Logger,
  type Metrics,
} from '@gateway/observability';
import { loadConfig, type Config } from './config.ts';
import { EdgeGatewayModule } from './edge-gateway.module.ts';
import { buildEdgeParts, type EdgeParts } from './edge-parts.ts';
import { DirectChat } from './http/direct-chat.ts';
import type { TlsIdentity } from './http/listener.ts';
import { createServer, type ServerOptions } from './http/server.ts';
import { RequestSpool } from './spool/request-spool.ts';
import type { RequestSpoolOptions } from './spool/spool-directory.ts';
import { SpoolModule } from './spool/spool.module.ts';

const name = 'edge-gateway';
/** Extra time for the shutdown after all streams have ended, in milliseconds. */
const shipTimeMs = 5_000;

async function main(): Promise<void> {
  const config = loadConfig();
  const telemetry = await startTelemetry({
    serviceName: name,
    instanceId: config.INSTANCE_ID,
    otlpEndpoint: config.OTEL_EXPORTER_OTLP_ENDPOINT,
    sampleRatio: config.OTEL_TRACES_SAMPLE_RATIO,
  });
  const { log, requestLog } = startLogging(config);
  const metrics = createMetrics(name);
  const state: ServingState = { parts: undefined, isServing: false };
  const health = await startHealth(config, metrics, state);
  const messaging = await connect(config, log);
  const spool = await RequestSpool.open(spoolOptions(config, log));
  const parts = buildEdgeParts({ config, messaging, metrics, log, requestLog, spool });
  state.parts = parts;
  await parts.loops.load();
  const spoolModule = SpoolModule.forRoot({
    ...{ spool, messaging, log, redisUrl: config.REDIS_URL, bytesMax: config.SPOOL_BYTES_MAX },
  });
  const module = EdgeGatewayModule.forRoot(parts, spoolModule);
  const app = await createServer(module, log, serverOptions(config, parts));
  await app.listen(config.PORT, config.HOST);
  state.isServing = true;
  log.info({ port: config.PORT, health_port: health.port }, `${name} is started`);
  const close = async (): Promise<void> => {
    state.isServing = false;
    await app.close();
    await parts.close();
    await messaging.close();
    await health.close();
    await telemetry.shutdown();
  };
  // When the streams have ended, the gateway must still send the last events to Postgres.
  endOnSignal(log, close, config.DRAIN_TIMEOUT_MS + shipTimeMs);
}

function serverOptions(config: Config, { pipeline, loops }: EdgeParts): ServerOptions {
  const direct = new DirectChat(pipeline);
  const isLoop: ServerOptions['isLoop'] = (header, requestId) => {
    if (!loops.isLoop(header)) return false;
    pipeline.resilience.loops.inc();
    pipeline.log.info({ request_id: requestId, error_code: 'request_loop' }, 'call refused');
    return true;
  };
  return { tls: readTlsIdentity(config), trustedProxies: config.TRUSTED_PROXIES, direct, isLoop };
}

function readTlsIdentity({ TLS_CERT_FILE, TLS_KEY_FILE }: Config): TlsIdentity | undefined {
  if (TLS_CERT_FILE === undefined || TLS_KEY_FILE === undefined) return undefined;
  return { cert: readFileSync(TLS_CERT_FILE), key: readFileSync(TLS_KEY_FILE) };
}

/** Nest's logger and the gateway's logger write to the same output, so that their lines do not mix. */
function startLogging(config: Config): { log: Logger; requestLog: LineLog } {
  const options = {
    service: name,
    instanceId: config.INSTANCE_ID,
    level: config.LOG_LEVEL,
    destination: createLogOutput(),
  };
  return { log: createLogger(options), requestLog: createLineLog('request', options) };
}

interface ServingState {
  parts: EdgeParts | undefined;
  isServing: boolean;
}

function connect(config: Config, logger: Logger): Promise<Messaging> {
  return connectMessaging({
    url: config.NATS_URL,
    user: config.NATS_USER,
    password: config.NATS_PASSWORD,
    name,
    instanceId: config.INSTANCE_ID,
    logger,
  });
}

function spoolOptions(config: Config, log: Logger): RequestSpoolOptions {
  return { dir: config.SPOOL_DIR, bytesMax: config.SPOOL_BYTES_MAX, instanceId: config.INSTANCE_ID, log };
}

/**
 * The readiness check reports whether the gateway can serve requests. The gateway needs NATS and Redis to start, but
 * keeps running when NATS or Redis becomes unavailable. During an outage, the gateway uses cached keys, cached
 * credentials and local limits, and sends requests without planning.
 */
function startHealth(config: Config, metrics: Metrics, state: ServingState): Promise<HealthServer> {
  return startHealthServer({
    host: config.HOST,
    port: config.HEALTH_PORT,
    metrics,
    ready: () => ({
      service: state.isServing,
      messaging: state.parts?.pipeline.messaging.connected ?? false,
      redis: state.parts?.cacheRedis.status === 'ready',
    }),
    survives: ['messaging', 'redis'],
  });
}

await main();
