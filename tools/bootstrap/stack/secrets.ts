import { randomBytes } from 'node:crypto';
import { z } from 'zod';
import { readJson, writePrivateJson } from './data-dir.ts';
import type { DataDir } from './data-dir.ts';

const secretsSchema = z.object({
  /**
   * 32-byte secrets in base64. If these 32-byte secrets are lost, stored API keys and credentials cannot be
   * used.
   */
  keyPepper: z.string(),
  vaultKek: z.string(),
  /** A 32-byte secret in base64. The keys for login sessions are derived from the session secret. */
  sessionSecret: z.string(),
  /**
   * A 32-byte secret in base64. Without the originals key, the stored originals of compressed blocks cannot
   * be decrypted.
   */
  originalsKey: z.string(),
  /** A 32-byte secret in base64. Without the content key, stored request contents cannot be decrypted. */
  contentKey: z.string(),
  /** The demo user's password. */
  demoPassword: z.string(),
  postgresAdmin: z.string(),
  /** The password of the administrator of both Redis servers. */
  redis: z.string(),
  /** Passwords by Redis user name. */
  redisUsers: z.record(z.string(), z.string()),
  /** Passwords by Postgres role name. */
  roles: z.record(z.string(), z.string()),
  /** Passwords by NATS user name. */
  natsUsers: z.record(z.string(), z.string()),
});
export type Secrets = z.infer<typeof secretsSchema>;

/** A password that needs no quoting in a URL, an SQL literal or a configuration file. */
function createPassword(): string {
  return randomBytes(24).toString('hex');
}

function completePasswords(names: readonly string[], known: Record<string, string> = {}) {
  const missing = names.filter((name) => known[name] === undefined);
  return { ...known, ...Object.fromEntries(missing.map((name) => [name, createPassword()])) };
}

/** Returns the secrets that an earlier start of the stack stored. Throws if no secrets are stored. */
export function readSecrets(dataDir: DataDir): Secrets {
  return secretsSchema.parse(readJson(dataDir.secretsFile));
}

/** Reads the stack's secrets. Generates and stores missing secrets. */
export function loadSecrets(
  dataDir: DataDir,
  names: {
    readonly roles: readonly string[];
    readonly natsUsers: readonly string[];
    readonly redisUsers: readonly string[];
  },
): Secrets {
  const known = secretsSchema.partial().parse(readJson(dataDir.secretsFile) ?? {});
  const secrets: Secrets = {
    keyPepper: known.keyPepper ?? randomBytes(32).toString('base64'),
    vaultKek: known.vaultKek ?? randomBytes(32).toString('base64'),
    sessionSecret: known.sessionSecret ?? randomBytes(32).toString('base64'),
    originalsKey: known.originalsKey ?? randomBytes(32).toString('base64'),
    contentKey: known.contentKey ?? randomBytes(32).toString('base64'),
    demoPassword: known.demoPassword ?? createPassword(),
    postgresAdmin: known.postgresAdmin ?? createPassword(),
    redis: known.redis ?? createPassword(),
    redisUsers: completePasswords(names.redisUsers, known.redisUsers),
    roles: completePasswords(names.roles, known.roles),
    natsUsers: completePasswords(names.natsUsers, known.natsUsers),
  };
  writePrivateJson(dataDir.secretsFile, secrets);
  return secrets;
}
