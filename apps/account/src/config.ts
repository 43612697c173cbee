import { parseConfig, serviceVariables } from '@gateway/messaging';
import { z } from 'zod';

const pepperBytes = 32;

const environment = z.object({
  ...serviceVariables,
  ACCOUNT_DATABASE_URL: z.url({ protocol: /^postgres(ql)?$/ }),
  /** The cache's Redis, which gateways count requests in: the epochs of changes are written beside. It may be away. */
  REDIS_CACHE_URL: z.url({ protocol: /^rediss?$/ }),
  /** 32 bytes in base64. Keys are stored as an HMAC under it: without it none of them works any more. */
  KEY_PEPPER: z
    .base64()
    .transform((text) => Buffer.from(text, 'base64'))
    .refine((pepper) => pepper.length === pepperBytes, `must be ${pepperBytes} bytes in base64`),
});
export type Config = z.output<typeof environment>;

/** Reads the environment once. Throws one error that lists every variable at fault. */
export function loadConfig(variables: NodeJS.ProcessEnv = process.env): Config {
  return parseConfig(environment, variables);
}
