import { endOnSignal } from '@gateway/messaging/run-service';
import { createLogger, createMetrics, startHealthServer } from '@gateway/observability';
import { readConfig } from './config.ts';
import { createSandbox } from './sandbox.ts';

const config = readConfig();
const service = 'sandbox-provider';
const logger = createLogger({ service, level: config.LOG_LEVEL });
let isServing = false;
const health = await startHealthServer({
  host: config.HOST,
  port: config.HEALTH_PORT,
  metrics: createMetrics(service),
  ready: () => ({ service: isServing }),
});
const sandbox = createSandbox();
const address = await sandbox.listen({ host: config.HOST, port: config.PORT });
isServing = true;
logger.info({ address }, `${service} started`);

endOnSignal(logger, async () => {
  isServing = false;
  await sandbox.close();
  await health.close();
});
