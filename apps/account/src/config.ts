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
   * The cache's Redis, in which gateways count requests. The account service writes the epochs of changes to
   * it. The service also runs while Redis is unavailable.
   */
  REDIS_CACHE_URL: z.url({ protocol: /^rediss?$/ }),
  /**
   * 32 bytes in base64. Each API key is stored as an HMAC keyed with this pepper. If the pepper changes, all
   * keys stop working.
   */
  KEY_PEPPER: key,
  /**
   * 32 bytes in base64. All keys of the embedded identity service are derived from this secret. Changing it
   * ends every login session; passwords stay valid.
   */
  SESSION_SECRET: key,
  /** The `iss` and `aud` claims in access tokens. The edge gateway must use the same values. */
  SESSION_ISSUER: unlessEmpty(z.string().min(1).max(2_048).default('agent-gateway')),
  SESSION_AUDIENCE: unlessEmpty(z.string().min(1).max(255).default('agent-gateway')),
  /** Access token lifetime in seconds. */
  SESSION_TOKEN_SECONDS: unlessEmpty(z.coerce.number().int().min(60).max(86_400).default(600)),
  /** How long events stay in the audit logs, in days. */
  AUDIT_RETENTION_DAYS: unlessEmpty(z.coerce.number().int().min(1).max(3_650).default(365)),
  /** Maximum number of events in the audit log of one account. Above it, the oldest are deleted. */
  AUDIT_EVENTS_MAX: unlessEmpty(z.coerce.number().int().min(1_000).max(10_000_000).default(100_000)),
  /** Whether new users may sign up. */
  SIGN_UP: unlessEmpty(z.enum(['open', 'closed']).default('open')),
  /**
   * An OpenID Connect issuer that replaces the embedded identity service. The edge gateway must use the same
   * value.
   */
  OIDC_ISSUER: unlessEmpty(z.url().optional()),
});
export type Config = z.output<typeof environment>;

/** Reads and checks the environment variables. Throws a single error that lists every invalid variable. */
export function loadConfig(variables: NodeJS.ProcessEnv = process.env): Config {
  return parseConfig(environment, variables);
}
