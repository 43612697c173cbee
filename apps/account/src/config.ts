import { parseConfig, postgresUrl, redisUrl, serviceVariables, unlessEmpty } from '@gateway/messaging';
import { z } from 'zod';

const keyBytes = 32;

const key = z
  .base64()
  .transform((text) => Buffer.from(text, 'base64'))
  .refine((bytes) => bytes.length === keyBytes, `must be ${keyBytes} bytes in base64`);

/** An origin without a path, such as `https://gateway.example`. The parsed origin has no trailing slash. */
const origin = z
  .url({ protocol: /^https?$/ })
  .refine((text) => new URL(text).href === `${new URL(text).origin}/`, 'must be an origin without a path')
  .transform((text) => new URL(text).origin);

/** Accepts an email address, or `Name <address>`. */
const mailbox = z.string().refine((text) => {
  const address = text.endsWith('>') ? text.slice(text.lastIndexOf('<') + 1, -1) : text;
  return z.email().safeParse(address).success && !/[\r\n]/.test(text);
}, 'must be an e-mail address or "Name <address>"');

/** The environment variables that both the service and the operator's commands read. */
const operatorVariables = {
  ACCOUNT_DATABASE_URL: postgresUrl,
  /**
   * The session secret consists of 32 bytes, in base64. All keys of the embedded identity service are derived
   * from the session secret. Changing the session secret ends every login session, but passwords stay valid.
   */
  SESSION_SECRET: key,
  /** The gateway's public origin for links in emails, for example `https://gateway.example`. */
  PUBLIC_URL: unlessEmpty(origin.optional()),
  /**
   * An external OpenID Connect issuer that replaces the embedded identity service. The edge gateway must use
   * the same OpenID Connect issuer.
   */
  OIDC_ISSUER: unlessEmpty(z.url().optional()),
};

const variables = z.object({
  ...serviceVariables,
  ...operatorVariables,
  /**
   * The Redis server for caches, in which gateways also count requests. The account service writes
   * the latest epoch (version number) of each account to this Redis server. The account service also runs while Redis
   * is unavailable.
   */
  REDIS_CACHE_URL: redisUrl,
  /**
   * The pepper for API keys, as 32 bytes in base64. Each API key is stored as an HMAC keyed with this pepper. If the
   * pepper changes, all API keys become invalid.
   */
  KEY_PEPPER: key,
  /**
   * The `iss` and `aud` claims in access tokens. The edge gateway must use the same `iss` and `aud` claims.
   */
  SESSION_ISSUER: unlessEmpty(z.string().min(1).max(2_048).default('agent-gateway')),
  SESSION_AUDIENCE: unlessEmpty(z.string().min(1).max(255).default('agent-gateway')),
  /** Access token lifetime in seconds. */
  SESSION_TOKEN_SECONDS: unlessEmpty(z.coerce.number().int().min(60).max(86_400).default(600)),
  /** Number of days for which events stay in the audit logs of the accounts. */
  AUDIT_RETENTION_DAYS: unlessEmpty(z.coerce.number().int().min(1).max(3_650).default(365)),
  /**
   * Maximum number of events in the audit log of one account. The oldest audit events above the maximum are
   * deleted.
   */
  AUDIT_EVENTS_MAX: unlessEmpty(z.coerce.number().int().min(1_000).max(10_000_000).default(100_000)),
  /** Whether new users may sign up. */
  SIGN_UP: unlessEmpty(z.enum(['open', 'closed']).default('open')),
  /**
   * The mail server, as `smtp://user:password@host:587` or `smtps://…`. Without a mail server, the service
   * sends no email, and the operator resets forgotten passwords on the command line.
   */
  SMTP_URL: unlessEmpty(
    z
      .url({ protocol: /^smtps?$/ })
      .refine((text) => new URL(text).search === '', 'must have no parameters')
      .optional(),
  ),
  /** The sender of emails, given as an address or as `Name <address>`. */
  MAIL_FROM: unlessEmpty(mailbox.optional()),
});

const environment = variables
  .refine(({ SMTP_URL, MAIL_FROM }) => (SMTP_URL === undefined) === (MAIL_FROM === undefined), {
    path: ['MAIL_FROM'],
    message: 'must be set together with SMTP_URL',
  })
  .refine(({ SMTP_URL, PUBLIC_URL }) => SMTP_URL === undefined || PUBLIC_URL !== undefined, {
    path: ['PUBLIC_URL'],
    message: 'must be set together with SMTP_URL',
  });
export type Config = z.output<typeof environment>;

/** Reads and checks the environment variables. Throws a single error that lists every invalid variable. */
export function loadConfig(variables: NodeJS.ProcessEnv = process.env): Config {
  return parseConfig(environment, variables);
}

export type OperatorConfig = z.output<z.ZodObject<typeof operatorVariables>>;

/**
 * Reads the environment variables that the operator's commands need. Throws the error of `loadConfig` if
 * variables are invalid.
 */
export function loadOperatorConfig(variables: NodeJS.ProcessEnv = process.env): OperatorConfig {
  return parseConfig(z.object(operatorVariables), variables);
}
