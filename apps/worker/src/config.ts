import { parseConfig, serviceVariables } from '@gateway/messaging';
import { z } from 'zod';

const environment = z.object({
  ...serviceVariables,
  TELEMETRY_DATABASE_URL: z.url({ protocol: /^postgres(ql)?$/ }),
  /** The queue's Redis: it must not evict (`maxmemory-policy noeviction`). */
  REDIS_URL: z.url({ protocol: /^rediss?$/ }),
});
export type Config = z.output<typeof environment>;

/** Reads the environment once. Throws one error that lists every variable at fault. */
export function loadConfig(variables: NodeJS.ProcessEnv = process.env): Config {
  return parseConfig(environment, variables);
}
