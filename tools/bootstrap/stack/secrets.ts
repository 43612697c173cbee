import { randomBytes } from 'node:crypto';
import { z } from 'zod';
import { readJson, writePrivateJson } from './data-dir.ts';
import type { DataDir } from './data-dir.ts';

const secretsSchema = z.object({
  /** Base64, 32 bytes each: losing one makes the stored keys or credentials worthless. */
  keyPepper: z.string(),
  vaultKek: z.string(),
  /** Base64, 32 bytes, from which the keys of people's sessions are derived. */
  sessionSecret: z.string(),
  /** Base64, 32 bytes: without it what compression left out and keeps for a day cannot be read. */
  originalsKey: z.string(),
  /** Base64, 32 bytes: without it contents that accounts let be kept cannot be read. */
  contentKey: z.string(),
  /** The demo person's. */
  demoPassword: z.string(),
  postgresAdmin: z.string(),
  redis: z.string(),
  /** Passwords by Postgres role. */
  roles: z.record(z.string(), z.string()),
  /** Passwords by NATS user. */
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

/** The secrets of a stack that has been started before. Throws when it has not. */
export function readSecrets(dataDir: DataDir): Secrets {
  return secretsSchema.parse(readJson(dataDir.secretsFile));
}

/** Reads the stack's secrets; what is missing (all of it, the first time) is generated and kept. */
export function loadSecrets(
  dataDir: DataDir,
  names: { readonly roles: readonly string[]; readonly natsUsers: readonly string[] },
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
    roles: completePasswords(names.roles, known.roles),
    natsUsers: completePasswords(names.natsUsers, known.natsUsers),
  };
  writePrivateJson(dataDir.secretsFile, secrets);
  return secrets;
}
