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
    /** A certificate chain and its private key, both PEM: with them the port speaks TLS, without them plain text. */
    TLS_CERT_FILE: z.string().min(1).optional(),
    TLS_KEY_FILE: z.string().min(1).optional(),
    /** The queue's Redis: `noeviction`, append-only file. */
    REDIS_URL: z.url(),
    /** The cache's Redis, which may evict; the queue's when absent. One server may serve both in development. */
    REDIS_CACHE_URL: z.url().optional(),
    /** Where accepted requests stand until they are committed. Each process makes a folder of its own in it. */
    SPOOL_DIR: z.string().min(1),
    SPOOL_BYTES_MAX: z.coerce
      .number()
      .int()
      .positive()
      .default(256 * mebibyte),
    /** CIDRs beyond the public internet that providers may live on, separated by commas. */
    EGRESS_ALLOW: cidrs,
    /** Who the embedded identity's session tokens are from and for. The account service is told the same. */
    SESSION_ISSUER: z.string().min(1).max(2_048).default('agent-gateway'),
    SESSION_AUDIENCE: z.string().min(1).max(255).default('agent-gateway'),
    /** An OpenID Connect issuer, as it writes itself into `iss`: it stands in for the embedded identity, which is off then. */
    OIDC_ISSUER: unlessEmpty(z.url().optional()),
    /** What that issuer's tokens for this gateway say in `aud`. */
    OIDC_AUDIENCE: unlessEmpty(z.string().min(1).optional()),
    /** As which the dashboard is registered with that issuer: a public client (authorization code with PKCE). */
    OIDC_CLIENT_ID: unlessEmpty(z.string().min(1).optional()),
    /** What the dashboard asks that issuer for. */
    OIDC_SCOPE: z.string().min(1).default('openid email offline_access'),
    /** The built dashboard; the one beside this program unless given. */
    DASHBOARD_DIR: unlessEmpty(z.string().min(1).optional()),
    /** Calls of `/v1/auth` a minute and client address. */
    AUTH_RATE_LIMIT_RPM: z.coerce.number().int().positive().default(60),
    /**
     * CIDRs of the proxies in front, separated by commas: what they say of the client's address (`X-Forwarded-For`) and of TLS
     * (`X-Forwarded-Proto`) is believed.
     */
    TRUSTED_PROXIES: cidrs,
    /** How that issuer may sign, separated by commas. */
    OIDC_ALGORITHMS: z
      .string()
      .default(sessionAlgorithms.join(','))
      .transform((text) => text.split(',').map((algorithm) => algorithm.trim()))
      .pipe(z.array(z.enum(sessionAlgorithms)).min(1)),
    /** How long planning may hold a request up before it goes out unplanned. */
    PLAN_DEADLINE_MS: z.coerce.number().int().min(1).max(10_000).default(150),
    /** Address of the built-in provider that needs no key. Absent: there is none. */
    SANDBOX_URL: z.url().optional(),
    REQUEST_BODY_BYTES_MAX: z.coerce
      .number()
      .int()
      .positive()
      .default(32 * mebibyte),
    /** How long a provider may be silent, before its first byte and between two of them. */
    UPSTREAM_TIMEOUT_MS: z.coerce.number().int().positive().default(600_000),
    /** How often a call that failed before its first byte is made again where there is no alternative. */
    UPSTREAM_RETRIES_MAX: z.coerce.number().int().min(0).max(10).default(2),
    /** The longest pause a provider may ask for (`retry-after`) that is waited for within a request. */
    UPSTREAM_RETRY_AFTER_MAX_MS: z.coerce.number().int().min(0).max(60_000).default(5_000),
    /** Calls beyond the first of a request, as a share of the requests of a minute … */
    UPSTREAM_RETRY_BUDGET_SHARE: z.coerce.number().min(0).max(1).default(0.2),
    /** … and how many of an account there may be in a minute, however few its requests are. */
    UPSTREAM_RETRY_BUDGET_FLOOR: z.coerce.number().int().min(0).default(30),
    /** Where a request has alternatives: how long the first byte of a stream may take before the next one is asked. */
    UPSTREAM_FIRST_BYTE_TIMEOUT_MS: z.coerce.number().int().positive().default(20_000),
    /** The same for the whole of an answer that is not streamed. */
    UPSTREAM_ANSWER_TIMEOUT_MS: z.coerce.number().int().positive().default(120_000),
    /** A call without tools and without a stream that is silent for so long gets a second one beside it, elsewhere. 0: never. */
    UPSTREAM_HEDGE_AFTER_MS: z.coerce.number().int().min(0).max(600_000).default(0),
    /** Calls under way to one provider under one credential. */
    UPSTREAM_IN_FLIGHT_MAX: z.coerce.number().int().positive().default(2_048),
    /** Requests served at the same time. What comes on top waits, or is turned away with 503. */
    REQUESTS_IN_FLIGHT_MAX: z.coerce.number().int().positive().default(4_096),
    /** Requests that may wait; one account's may be half of them. */
    REQUESTS_QUEUED_MAX: z.coerce.number().int().min(0).default(1_024),
    /** How long a request may wait for its turn. */
    QUEUE_TIMEOUT_MS: z.coerce.number().int().positive().default(5_000),
    /** How long a stopping process waits for its open streams. */
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

/** Reads the environment once. A wrong one stops the start, and every fault is listed. */
export function loadConfig(): Config {
  return parseConfig(edgeVariables, process.env);
}
