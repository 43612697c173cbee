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
  /**
   * The cache's Redis, in which gateways count requests. The service writes the epochs of changes to it. It may be
   * unavailable.
   */
  REDIS_CACHE_URL: z.url({ protocol: /^rediss?$/ }),
  /** 32 bytes in base64. Keys are stored as an HMAC under this pepper. With another pepper no key works. */
  KEY_PEPPER: key,
  /**
   * 32 bytes in base64. All keys of the embedded identity are derived from this secret. A new secret ends every login
   * session; passwords stay valid.
   */
  SESSION_SECRET: key,
  /** The `iss` and `aud` claims of access tokens. The edge has the same settings. */
  SESSION_ISSUER: unlessEmpty(z.string().min(1).max(2_048).default('agent-gateway')),
  SESSION_AUDIENCE: unlessEmpty(z.string().min(1).max(255).default('agent-gateway')),
  /** Lifetime of an access token, in seconds. */
  SESSION_TOKEN_SECONDS: unlessEmpty(z.coerce.number().int().min(60).max(86_400).default(600)),
  /** Whether people may sign up. */
  SIGN_UP: unlessEmpty(z.enum(['open', 'closed']).default('open')),
  /** An OpenID Connect issuer that replaces the embedded identity. The edge has the same setting. */
  OIDC_ISSUER: unlessEmpty(z.url().optional()),
});
export type Config = z.output<typeof environment>;

/** Reads the environment once. Throws one error that lists every invalid variable. */
export function loadConfig(variables: NodeJS.ProcessEnv = process.env): Config {
  return parseConfig(environment, variables);
}
