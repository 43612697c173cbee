import { port, serviceVariables, parseConfig, unlessEmpty } from '@gateway/messaging';
import { z } from 'zod';
import { sessionAlgorithms } from './sessions/session-algorithms.ts';

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
