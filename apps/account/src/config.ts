import { parseConfig, serviceVariables, unlessEmpty } from '@gateway/messaging';
import { z } from 'zod';

const keyBytes = 32;

const key = z
  .base64()
  .transform((text) => Buffer.from(text, 'base64'))
  .refine((bytes) => bytes.length === keyBytes, `must be ${keyBytes} bytes in base64`);

const environment = z.object({
  ...serviceVariables,
  ACCOUNT_DATABASE_URL: z.url({ protocol: /^postgres(ql)?$/ }),
  /** The cache's Redis, which gateways count requests in: the epochs of changes are written beside. It may be away. */
  REDIS_CACHE_URL: z.url({ protocol: /^rediss?$/ }),
  /** 32 bytes in base64. Keys are stored as an HMAC under it: without it none of them works any more. */
  KEY_PEPPER: key,
  /**
   * 32 bytes in base64, from which all keys of the embedded identity are derived. With another one every session has to log
   * in again; passwords stay.
   */
  SESSION_SECRET: key,
  /** What session tokens say in `iss` and `aud`. The edge is told the same. */
  SESSION_ISSUER: unlessEmpty(z.string().min(1).max(2_048).default('agent-gateway')),
  SESSION_AUDIENCE: unlessEmpty(z.string().min(1).max(255).default('agent-gateway')),
  /** How long a session token is good before it has to be refreshed. */
  SESSION_TOKEN_SECONDS: unlessEmpty(z.coerce.number().int().min(60).max(86_400).default(600)),
  /** Whether anybody may sign up. */
  SIGN_UP: unlessEmpty(z.enum(['open', 'closed']).default('open')),
  /** An OpenID Connect issuer that stands in for the embedded identity. The edge is told the same. */
  OIDC_ISSUER: unlessEmpty(z.url().optional()),
});
export type Config = z.output<typeof environment>;

/** Reads the environment once. Throws one error that lists every variable at fault. */
export function loadConfig(variables: NodeJS.ProcessEnv = process.env): Config {
  return parseConfig(environment, variables);
}
