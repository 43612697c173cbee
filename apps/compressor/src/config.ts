import { parseConfig, serviceVariables, type ServiceConfig } from '@gateway/messaging';
import { z } from 'zod';

const configSchema = z.object(serviceVariables);

/** Parses the environment; throws one error that lists every variable at fault. */
export function loadConfig(variables: NodeJS.ProcessEnv = process.env): ServiceConfig {
  return parseConfig(configSchema, variables);
}
