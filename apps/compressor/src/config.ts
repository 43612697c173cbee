import { parseConfig, serviceVariables } from '@gateway/messaging';
import { z } from 'zod';

const keyBytes = 32;

const configSchema = z.object({
  ...serviceVariables,
  /** The cache's Redis, in which originals are kept for a day. It may be away. */
  REDIS_CACHE_URL: z.url({ protocol: /^rediss?$/ }),
  /** 32 bytes in base64, from which the keys of originals are derived. With another one those kept so far are lost. */
  ORIGINALS_KEY: z
    .base64()
    .transform((text) => Buffer.from(text, 'base64'))
    .refine((bytes) => bytes.length === keyBytes, `must be ${keyBytes} bytes in base64`),
  /** What remembered conversations may take of the memory, about. What is forgotten is told again. */
  CONVERSATION_BYTES_MAX: z.coerce
    .number()
    .int()
    .positive()
    .default(192 * 1024 * 1024),
});

export type Config = z.output<typeof configSchema>;

/** Parses the environment; throws one error that lists every variable at fault. */
export function loadConfig(variables: NodeJS.ProcessEnv = process.env): Config {
  return parseConfig(configSchema, variables);
}
