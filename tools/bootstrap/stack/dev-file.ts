import { z } from 'zod';
import { readJson, writePrivateJson } from './data-dir.ts';
import type { DataDir } from './data-dir.ts';

const runningService = z.object({
  /** Null while it is down. */
  pid: z.int().nullable(),
  /** Where it serves requests, for those that do so at a port of their own: the edges and the sandbox provider. */
  url: z.url().nullable(),
  /** For services; the servers (Postgres, Redis, NATS) have none. */
  health_url: z.url().nullable(),
  metrics_url: z.url().nullable(),
  log_file: z.string(),
});

/** `.data/dev.json`: what a person or a program needs to talk to a running stack. Holds secrets. */
export const devInfo = z.object({
  /** Null in a stack without an edge. */
  base_url: z.string().nullable(),
  /** Where people look; null as above. */
  dashboard_url: z.string().nullable().default(null),
  api_key: z.string().nullable(),
  account_id: z.string().nullable(),
  /** A session token of the demo person, good for half a day from the start on; null where another issuer gives them out. */
  session_token: z.string().nullable(),
  /** With these `POST /v1/auth/log-in` gives another. */
  demo_person: z.object({ email: z.string(), password: z.string() }).nullable(),
  postgres: z.object({
    account: z.string(),
    vault: z.string(),
    billing: z.string(),
    telemetry: z.string(),
    /** The administrator of the embedded Postgres; null when all databases are someone else's. */
    admin: z.string().nullable(),
  }),
  redis_url: z.string(),
  nats_url: z.string(),
  /** The NATS user that set-up and maintenance commands connect as. */
  nats_operator: z.object({ user: z.string(), password: z.string() }),
  services: z.record(z.string(), runningService),
});
export type DevInfo = z.infer<typeof devInfo>;

/** What an earlier run of the stack has written, or null. */
export function readDevInfo(dataDir: DataDir): DevInfo | null {
  const parsed = devInfo.safeParse(readJson(dataDir.devFile));
  return parsed.success ? parsed.data : null;
}

export function writeDevInfo(dataDir: DataDir, info: DevInfo): void {
  writePrivateJson(dataDir.devFile, info);
}
