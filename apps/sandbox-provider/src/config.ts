import { parseConfig, port, serviceVariables } from '@gateway/messaging';
import { z } from 'zod';

const { HEALTH_PORT, HOST, LOG_LEVEL } = serviceVariables;

const schema = z.object({
  HEALTH_PORT,
  HOST,
  LOG_LEVEL,
  /** The port on which the sandbox provider listens. */
  PORT: port,
});
export type SandboxConfig = z.output<typeof schema>;

export function readConfig(): SandboxConfig {
  return parseConfig(schema, process.env);
}
