import { parseConfig, serviceVariables } from '@gateway/messaging';
import { z } from 'zod';

const keyBytes = 32;

const environment = z.object({
  ...serviceVariables,
  TELEMETRY_DATABASE_URL: z.url({ protocol: /^postgres(ql)?$/ }),
  /** The queue's Redis. It must not evict keys (`maxmemory-policy noeviction`). */
  REDIS_URL: z.url({ protocol: /^rediss?$/ }),
  /**
   * Keys for the request contents that accounts allow to store: 32 bytes in base64 each, separated by commas or white
   * space. Contents are sealed with the first key, and opened with any of them.
   */
  CONTENT_KEYS: z
    .string()
    .transform((text) => text.split(/[\s,]+/).filter((key) => key !== ''))
    .pipe(z.array(z.base64()).min(1))
    .transform((keys) => keys.map((key) => Buffer.from(key, 'base64')))
    .refine((keys) => keys.every(({ length }) => length === keyBytes), `must be ${keyBytes} bytes each`),
});
export type Config = z.output<typeof environment>;

/** Reads the environment once. Throws one error that lists every invalid variable. */
export function loadConfig(variables: NodeJS.ProcessEnv = process.env): Config {
  return parseConfig(environment, variables);
}
