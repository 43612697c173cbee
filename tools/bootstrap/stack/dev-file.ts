import { z } from 'zod';
import { readJson, writePrivateJson } from './data-dir.ts';
import type { DataDir } from './data-dir.ts';

const runningService = z.object({
  /** The process id. Null while the process is down. */
  pid: z.int().nullable(),
  /** The address for requests. Only the edges and the sandbox provider accept requests. */
  url: z.url().nullable(),
  /** The service's health port. Servers (Postgres, Redis, NATS) have no health port. */
  health_url: z.url().nullable(),
  metrics_url: z.url().nullable(),
  log_file: z.string(),
});

/**
 * The content of `.data/dev.json`: the information that a person or program needs to use a running stack. The
 * file contains secrets.
 */
export const devInfo = z.object({
  /** The edge's address. Null for a stack without an edge. */
  base_url: z.string().nullable(),
  /** The dashboard's address. Null for a stack without an edge. */
  dashboard_url: z.string().nullable().default(null),
  api_key: z.string().nullable(),
  account_id: z.string().nullable(),
  /**
   * A session token for the demo person, valid for twelve hours after the start. Null if an external issuer
   * issues tokens.
   */
  session_token: z.string().nullable(),
  /** Credentials for `POST /v1/auth/log-in`, which returns a new session token. */
  demo_person: z.object({ email: z.string(), password: z.string() }).nullable(),
  postgres: z.object({
    account: z.string(),
    vault: z.string(),
    billing: z.string(),
    telemetry: z.string(),
    /** The administrator's address of the embedded Postgres. Null if all databases are external. */
    admin: z.string().nullable(),
  }),
  /** The address of the Redis server of the queue, with the administrator's password. */
  redis_url: z.string(),
  /**
   * The address of the Redis server of the cache, with the administrator's password. If one external Redis
   * serves as queue and cache, the field has the address of the queue. The field is empty in a file from an
   * earlier release with one Redis. The next start replaces the file.
   */
  redis_cache_url: z.string().default(''),
  nats_url: z.string(),
  /** The NATS user for set-up and maintenance commands. */
  nats_operator: z.object({ user: z.string(), password: z.string() }),
  services: z.record(z.string(), runningService),
});
export type DevInfo = z.infer<typeof devInfo>;

/** Returns the content of the `dev.json` file from an earlier run. Returns null if no valid file exists. */
export function readDevInfo(dataDir: DataDir): DevInfo | null {
  const parsed = devInfo.safeParse(readJson(dataDir.devFile));
  return parsed.success ? parsed.data : null;
}

export function writeDevInfo(dataDir: DataDir, info: DevInfo): void {
  writePrivateJson(dataDir.devFile, info);
}
