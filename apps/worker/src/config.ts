import { parseConfig, postgresUrl, redisUrl, serviceVariables } from '@gateway/messaging';
import { z } from 'zod';

const keyBytes = 32;

const environment = z.object({
  ...serviceVariables,
  TELEMETRY_DATABASE_URL: postgresUrl,
  /**
   * URL of the queue's Redis server. The Redis server of the queue must not evict keys (`maxmemory-policy
   * noeviction`).
   */
  REDIS_URL: redisUrl,
  /**
   * Encryption keys for request contents. Accounts can allow the gateway to store these contents. Each key consists
   * of 32 bytes in base64. The keys are separated by commas or whitespace. The first key encrypts new contents, and
   * any key can decrypt stored contents.
   */
  CONTENT_KEYS: z
    .string()
    .transform((text) => text.split(/[\s,]+/).filter((key) => key !== ''))
    .pipe(z.array(z.base64()).min(1))
    .transform((keys) => keys.map((key) => Buffer.from(key, 'base64')))
    .refine((keys) => keys.every(({ length }) => length === keyBytes), `must be ${keyBytes} bytes each`),
});
export type Config = z.output<typeof environment>;

/** Reads and checks the environment variables. Throws a single error that lists every invalid variable. */
export function loadConfig(variables: NodeJS.ProcessEnv = process.env): Config {
  return parseConfig(environment, variables);
}
