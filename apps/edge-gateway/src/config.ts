import { parseConfig, port, redisUrl, serviceVariables, unlessEmpty } from '@gateway/messaging';
import { z } from 'zod';
import { defaultHeldBytesMax } from './admission/byte-ledger.ts';
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
    /** Certificate chain and private key as PEM files. Without a certificate, the port uses plain text. */
    TLS_CERT_FILE: z.string().min(1).optional(),
    TLS_KEY_FILE: z.string().min(1).optional(),
    /** The Redis server of the job queue, configured with `noeviction` and an append-only file. */
    REDIS_URL: redisUrl,
    /**
     * The Redis server for caches, which may evict keys. The default is the Redis server of the job queue. In
     * development, the job queue and the caches can share one Redis server.
     */
    REDIS_CACHE_URL: redisUrl.optional(),
    /**
     * Bytes of conversation state (sent edits, tool sets, chosen models) that one account may add to the Redis
     * cache per UTC day. Conversation state beyond the limit is not shared between gateway processes. A process
     * that lacks the conversation state computes it again. The same number of bytes also limits encrypted
     * reasoning. Encrypted reasoning beyond the limit is dropped.
     */
    CACHE_BYTES_PER_ACCOUNT_MAX: z.coerce
      .number()
      .int()
      .positive()
      .default(128 * mebibyte),
    /**
     * Directory with the events of accepted requests, which are kept until the events are in Postgres. Each gateway
     * process creates its own subdirectory.
     */
    SPOOL_DIR: z.string().min(1),
    SPOOL_BYTES_MAX: z.coerce
      .number()
      .int()
      .positive()
      .default(256 * mebibyte),
    /** Comma-separated CIDRs of private networks. Every account may use providers in these networks. */
    EGRESS_ALLOW: cidrs,
    /**
     * The address at which clients reach this gateway. Accounts must not use the gateway's address as a
     * provider's `base_url`.
     */
    PUBLIC_URL: unlessEmpty(z.url({ protocol: /^https?$/ }).optional()),
    /**
     * Further addresses of this gateway, separated by commas, such as the names of its Kubernetes services. Accounts
     * must not use an address of the gateway as a provider's `base_url`.
     */
    OWN_ORIGINS: z
      .string()
      .default('')
      .transform((text) => text.split(',').flatMap((origin) => origin.trim() || []))
      .pipe(z.array(z.url({ protocol: /^https?$/ }))),
    /**
     * The issuer and the audience of the embedded identity service's session tokens. The account service must
     * be configured with the same issuer and audience.
     */
    SESSION_ISSUER: z.string().min(1).max(2_048).default('agent-gateway'),
    SESSION_AUDIENCE: z.string().min(1).max(255).default('agent-gateway'),
    /**
     * OpenID Connect issuer, exactly as in the issuer's `iss` claim. If this variable is set, the OpenID
     * Connect issuer replaces the embedded identity service.
     */
    OIDC_ISSUER: unlessEmpty(z.url().optional()),
    /** The `aud` claim in the tokens that the OpenID Connect issuer creates for the gateway. */
    OIDC_AUDIENCE: unlessEmpty(z.string().min(1).optional()),
    /**
     * The dashboard's client id at the OpenID Connect issuer. The dashboard is a public client (authorization
     * code with PKCE).
     */
    OIDC_CLIENT_ID: unlessEmpty(z.string().min(1).optional()),
    /** The scope that the dashboard requests from the OpenID Connect issuer. */
    OIDC_SCOPE: z.string().min(1).default('openid email offline_access'),
    /** Directory with the built dashboard. The default is the dashboard directory next to this program. */
    DASHBOARD_DIR: unlessEmpty(z.string().min(1).optional()),
    /**
     * A text that describes how users can contact the operator. If the gateway cannot send email, the page for
     * forgotten passwords shows the text.
     */
    OPERATOR_CONTACT: unlessEmpty(z.string().min(1).max(200).optional()),
    /** Maximum number of calls to `/v1/auth` per minute and client address, or per known device. */
    AUTH_RATE_LIMIT_RPM: z.coerce.number().int().positive().default(60),
    /**
     * Maximum number of calls to account routes per minute that an account may make with all of its API keys
     * and users. Separate limits apply to reads, log and usage queries, changes (POST, PUT, PATCH, DELETE),
     * and exports.
     */
    ACCOUNT_READ_RPM: z.coerce.number().int().positive().default(600),
    ACCOUNT_ANALYTICS_RPM: z.coerce.number().int().positive().default(120),
    ACCOUNT_WRITE_RPM: z.coerce.number().int().positive().default(120),
    ACCOUNT_EXPORT_RPM: z.coerce.number().int().positive().default(10),
    /**
     * Comma-separated CIDRs of trusted reverse proxies. The gateway uses the client address
     * (`X-Forwarded-For`) and TLS state (`X-Forwarded-Proto`) that the listed proxies report.
     */
    TRUSTED_PROXIES: cidrs,
    /**
     * Comma-separated CIDRs of clients that may set the trace id and the sampling of their requests
     * (`traceparent`). The setting uses the address of the connection and ignores addresses that proxies report.
     * For any other client, the received trace id becomes a span link.
     */
    TRUST_CLIENT_TRACES: cidrs,
    /** Comma-separated signature algorithms that are accepted from the OpenID Connect issuer. */
    OIDC_ALGORITHMS: z
      .string()
      .default(sessionAlgorithms.join(','))
      .transform((text) => text.split(',').map((algorithm) => algorithm.trim()))
      .pipe(z.array(z.enum(sessionAlgorithms)).min(1)),
    /**
     * Time limit for the planning of a request. If planning takes longer than the limit, the request is sent without
     * a plan.
     */
    PLAN_DEADLINE_MS: z.coerce.number().int().min(1).max(10_000).default(150),
    /**
     * Address of the built-in sandbox provider, which needs no API key. If this variable is unset, the
     * gateway has no sandbox provider. The egress guard allows calls to the sandbox provider even without an
     * entry in EGRESS_ALLOW.
     */
    SANDBOX_URL: z.url().optional(),
    /**
     * Maximum size of a JSON body in bytes. Very large values are rejected, so that one body is always much smaller
     * than the process's memory.
     */
    REQUEST_BODY_BYTES_MAX: z.coerce
      .number()
      .int()
      .min(1)
      .max(256 * mebibyte)
      .default(32 * mebibyte),
    /**
     * Maximum size of a multipart body in bytes. The gateway streams multipart bodies, so a long body needs
     * little memory.
     */
    MULTIPART_BODY_BYTES_MAX: z.coerce
      .number()
      .int()
      .min(1)
      .max(4_096 * mebibyte)
      .default(200 * mebibyte),
    /**
     * Number of bytes that all requests together may hold in memory. Request bodies, their copies, and completely
     * buffered responses count as held bytes. Requests beyond the limit get status 503. The default depends on the
     * amount of memory that this process may use.
     */
    HELD_BYTES_MAX: z.coerce
      .number()
      .int()
      .min(16 * mebibyte)
      .default(defaultHeldBytesMax),
    /**
     * Number of bytes of uploads that may stay in temporary files until the models of the uploads are known.
     */
    HELD_DISK_BYTES_MAX: z.coerce
      .number()
      .int()
      .min(1)
      .default(512 * mebibyte),
    /**
     * The highest `rate_limit_rpm` that an account policy or an API key may have. The public API never accepts
     * a value above 10,000,000.
     */
    MAX_RATE_LIMIT_RPM: z.coerce.number().int().min(1).max(10_000_000).default(10_000_000),
    /** How long a provider may send no data before its first byte or between two bytes, in milliseconds. */
    UPSTREAM_TIMEOUT_MS: z.coerce.number().int().positive().default(600_000),
    /**
     * Maximum number of retries after a provider call that failed before its first byte. The maximum applies to
     * requests that no other backend can serve.
     */
    UPSTREAM_RETRIES_MAX: z.coerce.number().int().min(0).max(10).default(2),
    /** The gateway retries only if the provider's `retry-after` does not exceed the limit. */
    UPSTREAM_RETRY_AFTER_MAX_MS: z.coerce.number().int().min(0).max(60_000).default(5_000),
    /** Limit on extra provider calls (retries, fallbacks, hedges), as a share of the requests per minute. */
    UPSTREAM_RETRY_BUDGET_SHARE: z.coerce.number().min(0).max(1).default(0.2),
    /** Number of extra provider calls that an account may always make per minute, even with few requests. */
    UPSTREAM_RETRY_BUDGET_FLOOR: z.coerce.number().int().min(0).default(30),
    /**
     * Time limit for the first byte of a streamed response if alternative models or providers are available. After
     * the time limit, the gateway calls the next alternative.
     */
    UPSTREAM_FIRST_BYTE_TIMEOUT_MS: z.coerce.number().int().positive().default(20_000),
    /**
     * Time limit for the complete response to a non-streaming request if alternative models or providers are
     * available.
     */
    UPSTREAM_ANSWER_TIMEOUT_MS: z.coerce.number().int().positive().default(120_000),
    /**
     * Time limit for a non-streaming provider call without tools, in milliseconds. After this time without a
     * response, the gateway sends a parallel attempt (hedge) to another backend. Zero disables parallel attempts.
     */
    UPSTREAM_HEDGE_AFTER_MS: z.coerce.number().int().min(0).max(600_000).default(0),
    /** Maximum number of concurrent calls to one provider with one credential. */
    UPSTREAM_IN_FLIGHT_MAX: z.coerce.number().int().positive().default(2_048),
    /**
     * Maximum number of requests served concurrently. Requests beyond the limit are queued or rejected with status
     * 503.
     */
    REQUESTS_IN_FLIGHT_MAX: z.coerce.number().int().positive().default(4_096),
    /**
     * The share of the request slots, and of the held bytes, that one account may use while no other account is
     * busy. The share of each account decreases when more accounts are busy. With the value 1, a single account
     * may use all request slots and held bytes.
     */
    ACCOUNT_SHARE_MAX: z.coerce.number().min(0.01).max(1).default(0.8),
    /**
     * Maximum number of requests of one account that are served concurrently. An account may get fewer request
     * slots than this maximum while other accounts wait.
     */
    ACCOUNT_REQUESTS_IN_FLIGHT_MAX: unlessEmpty(z.coerce.number().int().positive().optional()),
    /** Maximum number of queued requests. One account may use at most half of the request queue. */
    REQUESTS_QUEUED_MAX: z.coerce.number().int().min(0).default(1_024),
    /** How long a request may wait in the queue before the gateway serves the request, in milliseconds. */
    QUEUE_TIMEOUT_MS: z.coerce.number().int().positive().default(5_000),
    /** How long a process that is shutting down waits for open streams, in milliseconds. */
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

/**
 * Reads all environment variables once, at startup. If a setting is invalid, the startup fails with a list of
 * all errors.
 */
export function loadConfig(): Config {
  return parseConfig(edgeVariables, process.env);
}
