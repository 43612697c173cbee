import { port, serviceVariables, parseConfig, unlessEmpty } from '@gateway/messaging';
import { z } from 'zod';
import { sessionAlgorithms } from './login-sessions/login-session.ts';

const mebibyte = 1024 * 1024;

const cidrs = z
  .string()
  .default('')
  .transform((text) => text.split(',').flatMap((cidr) => cidr.trim() || []))
  .pipe(z.array(z.union([z.cidrv4(), z.cidrv6()])));

const edgeVariables = z
  .object({
    ...serviceVariables,
    PORT: port,
    /** Certificate chain and private key as PEM files. With them the port uses TLS, without them plain text. */
    TLS_CERT_FILE: z.string().min(1).optional(),
    TLS_KEY_FILE: z.string().min(1).optional(),
    /** The queue's Redis, with `noeviction` and an append-only file. */
    REDIS_URL: z.url(),
    /** The cache's Redis, which may evict. Defaults to the queue's Redis; one server can serve both in development. */
    REDIS_CACHE_URL: z.url().optional(),
    /** Folder for accepted requests that are not committed yet. Each process creates its own subfolder. */
    SPOOL_DIR: z.string().min(1),
    SPOOL_BYTES_MAX: z.coerce
      .number()
      .int()
      .positive()
      .default(256 * mebibyte),
    /** Comma-separated CIDRs outside the public internet where providers are allowed. */
    EGRESS_ALLOW: cidrs,
    /** Issuer and audience of the embedded identity's session tokens. The account service needs the same values. */
    SESSION_ISSUER: z.string().min(1).max(2_048).default('agent-gateway'),
    SESSION_AUDIENCE: z.string().min(1).max(255).default('agent-gateway'),
    /** OpenID Connect issuer, exactly as in its `iss` claim. It replaces the embedded identity. */
    OIDC_ISSUER: unlessEmpty(z.url().optional()),
    /** The `aud` claim of that issuer's tokens for this gateway. */
    OIDC_AUDIENCE: unlessEmpty(z.string().min(1).optional()),
    /** The dashboard's client id at that issuer: a public client (authorization code with PKCE). */
    OIDC_CLIENT_ID: unlessEmpty(z.string().min(1).optional()),
    /** The scope that the dashboard requests from that issuer. */
    OIDC_SCOPE: z.string().min(1).default('openid email offline_access'),
    /** Folder of the built dashboard; by default the one next to this program. */
    DASHBOARD_DIR: unlessEmpty(z.string().min(1).optional()),
    /** Calls of `/v1/auth` per minute and client address. */
    AUTH_RATE_LIMIT_RPM: z.coerce.number().int().positive().default(60),
    /**
     * Comma-separated CIDRs of trusted reverse proxies. The gateway uses the client address (`X-Forwarded-For`) and
     * TLS state (`X-Forwarded-Proto`) that these proxies report.
     */
    TRUSTED_PROXIES: cidrs,
    /** Comma-separated signature algorithms that issuer may use. */
    OIDC_ALGORITHMS: z
      .string()
      .default(sessionAlgorithms.join(','))
      .transform((text) => text.split(',').map((algorithm) => algorithm.trim()))
      .pipe(z.array(z.enum(sessionAlgorithms)).min(1)),
    /** Time limit for planning a request. A request not planned in time is sent unplanned. */
    PLAN_DEADLINE_MS: z.coerce.number().int().min(1).max(10_000).default(150),
    /** Address of the built-in provider that needs no key. Without it there is no sandbox. */
    SANDBOX_URL: z.url().optional(),
    REQUEST_BODY_BYTES_MAX: z.coerce
      .number()
      .int()
      .positive()
      .default(32 * mebibyte),
    /** How long a provider may be silent, before its first byte and between two bytes. */
    UPSTREAM_TIMEOUT_MS: z.coerce.number().int().positive().default(600_000),
    /** How often a call that failed before its first byte is retried when there is no alternative. */
    UPSTREAM_RETRIES_MAX: z.coerce.number().int().min(0).max(10).default(2),
    /** The longest `retry-after` of a provider that a request waits for. */
    UPSTREAM_RETRY_AFTER_MAX_MS: z.coerce.number().int().min(0).max(60_000).default(5_000),
    /** Limit of additional calls (retries, fallbacks, hedges), as a share of the requests of a minute. */
    UPSTREAM_RETRY_BUDGET_SHARE: z.coerce.number().min(0).max(1).default(0.2),
    /** An account may make this many additional calls per minute, even with few requests. */
    UPSTREAM_RETRY_BUDGET_FLOOR: z.coerce.number().int().min(0).default(30),
    /**
     * Time limit for the first byte of a stream if the request has alternatives. After it the next alternative is
     * called.
     */
    UPSTREAM_FIRST_BYTE_TIMEOUT_MS: z.coerce.number().int().positive().default(20_000),
    /** The same limit for a complete response that is not streamed. */
    UPSTREAM_ANSWER_TIMEOUT_MS: z.coerce.number().int().positive().default(120_000),
    /**
     * A call without tools and stream that is silent for this long gets a parallel attempt at another backend. 0
     * disables it.
     */
    UPSTREAM_HEDGE_AFTER_MS: z.coerce.number().int().min(0).max(600_000).default(0),
    /** Concurrent calls to one provider with one credential. */
    UPSTREAM_IN_FLIGHT_MAX: z.coerce.number().int().positive().default(2_048),
    /** Requests served at the same time. Further requests wait or are rejected with 503. */
    REQUESTS_IN_FLIGHT_MAX: z.coerce.number().int().positive().default(4_096),
    /** Requests that may wait. One account may use half of the places. */
    REQUESTS_QUEUED_MAX: z.coerce.number().int().min(0).default(1_024),
    /** How long a request may wait before it is served. */
    QUEUE_TIMEOUT_MS: z.coerce.number().int().positive().default(5_000),
    /** How long a stopping process waits for open streams. */
    DRAIN_TIMEOUT_MS: z.coerce.number().int().positive().default(30_000),
  })
  .refine(
    ({ TLS_CERT_FILE, TLS_KEY_FILE }) => (TLS_CERT_FILE === undefined) === (TLS_KEY_FILE === undefined),
    {
      path: ['TLS_CERT_FILE'],
      message: 'must be set together with TLS_KEY_FILE',
    },
  )
  .refine(({ OIDC_ISSUER, OIDC_AUDIENCE }) => (OIDC_ISSUER === undefined) === (OIDC_AUDIENCE === undefined), {
    path: ['OIDC_AUDIENCE'],
    message: 'must be set together with OIDC_ISSUER',
  });

export type Config = z.output<typeof edgeVariables>;

/** Reads the environment once. Invalid values stop the start with a list of all errors. */
export function loadConfig(): Config {
  return parseConfig(edgeVariables, process.env);
}
