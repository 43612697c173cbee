import { z } from 'zod';
import { readJson, writePrivateJson } from './data-dir.ts';
import type { DataDir } from './data-dir.ts';

const runningService = z.object({
  /** The process id, or null while the process is down. */
  pid: z.int().nullable(),
  /** The address for requests. Only the edges and the sandbox provider accept requests. */
  url: z.url().nullable(),
  /** The health address of the service. Servers (Postgres, Redis, NATS) have no health port. */
  health_url: z.url().nullable(),
  metrics_url: z.url().nullable(),
  log_file: z.string(),
});

/**
 * The content of `.data/dev.json`, which has the information needed to use a running stack. The file contains
 * secrets.
 */
export const devInfo = z.object({
  /** The edge's address, or null for a stack without an edge service. */
  base_url: z.string().nullable(),
  /** The dashboard's address, or null for a stack without an edge service. */
  dashboard_url: z.string().nullable().default(null),
  api_key: z.string().nullable(),
  account_id: z.string().nullable(),
  /**
   * A session token for the demo user, valid for twelve hours after the start, or null if an external
   * identity provider issues the tokens.
   */
  session_token: z.string().nullable(),
  /** Credentials for `POST /v1/auth/log-in`, which returns a new session token. */
  demo_person: z.object({ email: z.string(), password: z.string() }).nullable(),
  postgres: z.object({
    account: z.string(),
    vault: z.string(),
    billing: z.string(),
    telemetry: z.string(),
    /** The administrator's address of the embedded Postgres, or null if all databases are external. */
    admin: z.string().nullable(),
  }),
  /** The address of the queue's Redis server, with the administrator's password. */
  redis_url: z.string(),
  /**
   * The address of the cache's Redis server, with the administrator's password. If one external Redis server
   * is both queue and cache, this address is the queue's address. In files from earlier releases with one
   * Redis server, the field is empty. The next start replaces the file.
   */
  redis_cache_url: z.string().default(''),
  nats_url: z.string(),
  /** The NATS user for setup and maintenance commands. */
  nats_operator: z.object({ user: z.string(), password: z.string() }),
  services: z.record(z.string(), runningService),
});
export type DevInfo = z.infer<typeof devInfo>;

/** Returns the content of the `dev.json` file from an earlier run. Returns null if the file is missing or invalid. */
export function readDevInfo(dataDir: DataDir): DevInfo | null {
  const parsed = devInfo.safeParse(readJson(dataDir.devFile));
  return parsed.success ? parsed.data : null;
}

export function writeDevInfo(dataDir: DataDir, info: DevInfo): void {
  writePrivateJson(dataDir.devFile, info);
}
