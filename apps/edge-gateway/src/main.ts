import 'reflect-metadata';
import { connectMessaging, endOnSignal } from '@gateway/messaging';
import { createLogger, createMetrics, startHealthServer, startTelemetry, type HealthServer, type Metrics } from '@gateway/observability';
import { loadConfig, type Config } from './config.ts';
import { EdgeGatewayModule } from './edge-gateway.module.ts';
import { buildEdgeParts, type EdgeParts } from './edge-parts.ts';
import { createServer } from './http/server.ts';
import { RequestSpool } from './spool/request-spool.ts';
import { SpoolModule } from './spool/spool.module.ts';

const name = 'edge-gateway';

async function main(): Promise<void> {
  const config = loadConfig();
  const telemetry = await startTelemetry({
    serviceName: name,
    instanceId: config.INSTANCE_ID,
    otlpEndpoint: config.OTEL_EXPORTER_OTLP_ENDPOINT,
    sampleRatio: config.OTEL_TRACES_SAMPLE_RATIO,
  });
  const log = createLogger({ service: name, instanceId: config.INSTANCE_ID, level: config.LOG_LEVEL });
  const metrics = createMetrics(name);
  const state: { parts?: EdgeParts; isServing: boolean } = { isServing: false };
  const health = await startHealth(config, metrics, state);
  const messaging = await connectMessaging({
    url: config.NATS_URL,
    user: config.NATS_USER,
    password: config.NATS_PASSWORD,
    name,
    instanceId: config.INSTANCE_ID,
    logger: log,
  });
  const spoolModule = await SpoolModule.open({
    dir: config.SPOOL_DIR,
    bytesMax: config.SPOOL_BYTES_MAX,
    instanceId: config.INSTANCE_ID,
    redisUrl: config.REDIS_URL,
    messaging,
    log,
  });
  const spool = spoolOf(spoolModule);
  const parts = buildEdgeParts({ config, messaging, metrics, log, spool });
  state.parts = parts;
  const app = await createServer(EdgeGatewayModule.create(parts, spoolModule), log);
  await app.listen(config.PORT, config.HOST);
  state.isServing = true;
  log.info({ port: config.PORT, health_port: health.port }, `${name} is started`);
  endOnSignal(log, async () => {
    state.isServing = false;
    await app.close();
    await parts.close();
    await messaging.close();
    await health.close();
    await telemetry.shutdown();
  });
}

function spoolOf(module: Awaited<ReturnType<typeof SpoolModule.open>>): RequestSpool {
  const spool = module.providers?.find((provider) => 'useValue' in provider && provider.useValue instanceof RequestSpool);
  if (!spool || !('useValue' in spool)) throw new Error('the spool module provides no spool');
  return spool.useValue as RequestSpool;
}

/** Ready means: requests can be served. Planners and the queue may be away; requests do without them. */
function startHealth(config: Config, metrics: Metrics, state: { parts?: EdgeParts; isServing: boolean }): Promise<HealthServer> {
  return startHealthServer({
    host: config.HOST,
    port: config.HEALTH_PORT,
    metrics,
    ready: () => ({
      service: state.isServing,
      messaging: state.parts?.pipeline.messaging.connected ?? false,
      redis: state.parts?.cacheRedis.status === 'ready',
    }),
  });
}

await main();
