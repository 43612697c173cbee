import type { HealthServer, Logger, Metrics, Readiness } from '@gateway/observability';
import { createLogger, createMetrics, startHealthServer, startTelemetry } from '@gateway/observability';
import type { ServiceName } from '@gateway/contracts';
import type { DynamicModule, Type } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import type { AccountShare } from './account-share.ts';
import { watchShare } from './account-share.ts';
import type { FairQueue } from './fair-queue.ts';
import type { Messaging } from './messaging.ts';
import { connectMessaging } from './nats-messaging.ts';
import { RpcServer, nestLogger } from './nest-transport.ts';
import type { ServiceConfig } from './service-config.ts';

/** Time limit for the shutdown, which is less than the Kubernetes default of 30 s. */
const endWaitDefaultMs = 25_000;

/**
 * Shuts the process down on SIGTERM or SIGINT. Calls `close`, and then exits with code 0, or with code 1 if
 * `close` fails or takes longer than `endWaitMs`. Uncaught errors are logged through the redacting logger,
 * and the process exits with code 1.
 */
export function endOnSignal(
  logger: Logger,
  close: () => Promise<void>,
  endWaitMs: number = endWaitDefaultMs,
): void {
  let isEnding = false;
  const exit = (code: number): void => {
    logger.flush(() => process.exit(code));
    // The log output may already be closed when the process ends.
    setTimeout(() => process.exit(code), 500).unref();
  };
  const end = (signal: NodeJS.Signals): void => {
    if (isEnding) return;
    isEnding = true;
    logger.info({ signal }, 'process: shutting down after a signal');
    setTimeout(() => {
      logger.error('process: shutdown timed out');
      exit(1);
    }, endWaitMs).unref();
    close().then(
      () => exit(0),
      (error: unknown) => {
        logger.error({ err: error }, 'process: shutdown failed');
        exit(1);
      },
    );
  };
  process.on('SIGTERM', end);
  process.on('SIGINT', end);
  process.on('uncaughtException', (error, origin) => {
    logger.fatal({ err: error, origin }, 'process: uncaught error, exiting');
    exit(1);
  });
}

/** The dependencies that every service passes to its module. */
export interface ServiceParts {
  readonly messaging: Messaging;
  readonly logger: Logger;
  readonly metrics: Metrics;
}

export interface ServiceOptions<Config extends ServiceConfig> {
  readonly name: ServiceName;
  readonly config: Config;
  /** Creates the service's root module. Opens all resources that must be ready before the first request. */
  readonly createModule: (parts: ServiceParts) => Type | DynamicModule | Promise<Type | DynamicModule>;
  /**
   * The limits for one account's use of the service. The limits apply to calls with an account id. Without
   * limits, all calls run immediately.
   */
  readonly accountShare?: AccountShare;
  /** Dependencies, in addition to messaging, that must be available before the service reports ready. */
  readonly ready?: () => Readiness | Promise<Readiness>;
}

export interface RunningService extends ServiceParts {
  readonly healthPort: number;
  /** Waits for requests in progress, closes the module, and stops the service. */
  close(): Promise<void>;
}

/**
 * Runs a service with telemetry, logger, health server, messaging and the Nest module. On SIGTERM or SIGINT,
 * the service shuts down in an orderly way. The health server starts first, so that it can report the
 * dependencies for which the startup waits.
 */
export async function runService<Config extends ServiceConfig>(
  options: ServiceOptions<Config>,
): Promise<RunningService> {
  const { name, config } = options;
  const telemetry = await startTelemetry({
    serviceName: name,
    instanceId: config.INSTANCE_ID,
    otlpEndpoint: config.OTEL_EXPORTER_OTLP_ENDPOINT,
    sampleRatio: config.OTEL_TRACES_SAMPLE_RATIO,
  });
  const logger = createLogger({ service: name, instanceId: config.INSTANCE_ID, level: config.LOG_LEVEL });
  const metrics = createMetrics(name);
  const state: ServiceState = { messaging: undefined, isServing: false };
  const health = await startHealth(options, metrics, state);
  const messaging = await connectMessaging({ ...natsOptions(config), name, logger });
  state.messaging = messaging;
  const parts = { messaging, logger, metrics };
  const share = options.accountShare && watchShare(metrics, options.accountShare);
  const app = await createApp(await options.createModule(parts), parts, share);
  await app.listen();
  // Callers may send requests as soon as this instance is ready.
  await messaging.flush();
  state.isServing = true;
  logger.info({ health_port: health.port }, `${name} is started`);

  const close = async (): Promise<void> => {
    state.isServing = false;
    await app.close();
    await health.close();
    await telemetry.shutdown();
  };
  endOnSignal(logger, close);
  return { ...parts, healthPort: health.port, close };
}

interface ServiceState {
  messaging: Messaging | undefined;
  isServing: boolean;
}

function startHealth(
  { config, ready }: ServiceOptions<ServiceConfig>,
  metrics: Metrics,
  state: ServiceState,
): Promise<HealthServer> {
  return startHealthServer({
    host: config.HOST,
    port: config.HEALTH_PORT,
    metrics,
    ready: async () => ({
      service: state.isServing,
      messaging: state.messaging?.connected ?? false,
      ...(await ready?.()),
    }),
  });
}

function createApp(module: Type | DynamicModule, { messaging, logger }: ServiceParts, share?: FairQueue) {
  // eslint-disable-next-line @typescript-eslint/no-unsafe-class-instance-assignment -- Nest types its options as a class that it does not export, and its documented form is a plain object
  return NestFactory.createMicroservice(module, {
    strategy: new RpcServer(messaging, share),
    logger: nestLogger(logger),
    abortOnError: false,
  });
}

function natsOptions(config: ServiceConfig) {
  return {
    url: config.NATS_URL,
    user: config.NATS_USER,
    password: config.NATS_PASSWORD,
    instanceId: config.INSTANCE_ID,
  };
}
