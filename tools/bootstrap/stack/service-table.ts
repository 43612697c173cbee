import { join } from 'node:path';
import type { DataDir } from './data-dir.ts';
import type { Infrastructure } from './infrastructure.ts';
import type { Secrets } from './secrets.ts';

/** The inputs for building a service's environment. */
export interface ServiceContext {
  readonly dataDir: DataDir;
  readonly infrastructure: Infrastructure;
  readonly secrets: Secrets;
  /** The sandbox provider's address, or null if it is not part of this stack. */
  readonly sandboxPort: number | null;
  /** Secrets from the caller's environment that replace the generated ones. */
  readonly inherited: Readonly<Record<string, string>>;
}

export interface ServiceRow {
  readonly stage: 0 | 1;
  /** Whether the service accepts requests on PORT, in addition to HEALTH_PORT. */
  readonly hasPort: boolean;
  readonly usesNats: boolean;
  /** Time limit for an orderly shutdown. Longer than the service itself waits for requests in progress. */
  readonly stopGraceMs: number;
  /** Command-line options for Node. */
  readonly nodeOptions: readonly string[];
  /** Service-specific variables; `instance` is the replica's name. */
  readonly env: (context: ServiceContext, instance: string) => Record<string, string>;
}

const base: ServiceRow = {
  stage: 1,
  hasPort: false,
  usesNats: true,
  stopGraceMs: 15_000,
  nodeOptions: [],
  env: () => ({}),
};

/** Additional settings for each service. Apps that are not listed have none. */
const serviceTable: Readonly<Record<string, ServiceRow>> = {
  'edge-gateway': {
    ...base,
    stage: 0,
    hasPort: true,
    stopGraceMs: 40_000,
    // Memory used by a request becomes garbage once the response is sent. With a larger young generation,
    // less of it is copied.
    nodeOptions: ['--max-semi-space-size=32'],
    env: ({ dataDir, infrastructure, sandboxPort }, instance) => ({
      REDIS_URL: infrastructure.redisUrl,
      SPOOL_DIR: dataDir.home(join('spool', instance)),
      ...(sandboxPort === null ? {} : { SANDBOX_URL: `http://127.0.0.1:${sandboxPort}/v1` }),
    }),
  },
  'tool-router': {
    ...base,
    // Planning allocates little memory, so a larger young generation would be wasted.
    nodeOptions: ['--max-semi-space-size=8'],
    env: ({ infrastructure }) => ({ REDIS_CACHE_URL: infrastructure.redisUrl }),
  },
  compressor: {
    ...base,
    env: ({ infrastructure, secrets, inherited }) => ({
      REDIS_CACHE_URL: infrastructure.redisUrl,
      ORIGINALS_KEY: inherited['ORIGINALS_KEY'] ?? secrets.originalsKey,
    }),
  },
  account: {
    ...base,
    env: ({ infrastructure, secrets, inherited }) => ({
      ACCOUNT_DATABASE_URL: infrastructure.databaseUrls.account,
      REDIS_CACHE_URL: infrastructure.redisUrl,
      KEY_PEPPER: inherited['KEY_PEPPER'] ?? secrets.keyPepper,
      SESSION_SECRET: inherited['SESSION_SECRET'] ?? secrets.sessionSecret,
      // The token in dev.json should last for one working day.
      SESSION_TOKEN_SECONDS: inherited['SESSION_TOKEN_SECONDS'] ?? '43200',
    }),
  },
  'provider-vault': {
    ...base,
    env: ({ infrastructure, secrets, inherited }) => ({
      VAULT_DATABASE_URL: infrastructure.databaseUrls.vault,
      ...chooseVaultKeys(inherited, secrets),
    }),
  },
  billing: {
    ...base,
    env: ({ infrastructure, inherited }) => ({
      BILLING_DATABASE_URL: infrastructure.databaseUrls.billing,
      REDIS_URL: infrastructure.redisUrl,
      ...chooseNamed(inherited, stripeVariables),
    }),
  },
  worker: {
    ...base,
    env: ({ infrastructure, secrets, inherited }) => ({
      TELEMETRY_DATABASE_URL: infrastructure.databaseUrls.telemetry,
      REDIS_URL: infrastructure.redisUrl,
      CONTENT_KEYS: inherited['CONTENT_KEYS'] ?? secrets.contentKey,
    }),
  },
  'sandbox-provider': { ...base, hasPort: true, usesNats: false },
};

const vaultKeyVariables = ['VAULT_KEK', 'VAULT_KEK_FILE', 'VAULT_KMS_KEYS', 'VAULT_KMS_ENDPOINT'];

/** Without these variables, billing is self-hosted. */
const stripeVariables = ['STRIPE_SECRET_KEY', 'STRIPE_WEBHOOK_SECRET', 'STRIPE_API_URL', 'BILLING_PLANS'];

function chooseNamed(
  inherited: ServiceContext['inherited'],
  variables: readonly string[],
): Record<string, string> {
  return Object.fromEntries(Object.entries(inherited).filter(([name]) => variables.includes(name)));
}

/** All keys that the caller's environment provides, in either form; if there are none, the generated key. */
function chooseVaultKeys(
  inherited: ServiceContext['inherited'],
  { vaultKek }: Pick<Secrets, 'vaultKek'>,
): Record<string, string> {
  const named = chooseNamed(inherited, vaultKeyVariables);
  return Object.keys(named).length > 0 ? named : { VAULT_KEK: vaultKek };
}

export function serviceRow(app: string): ServiceRow {
  return serviceTable[app] ?? base;
}

/**
 * The table above sets these per service, so they are never passed from the caller's environment to all
 * services.
 */
const ownVariables = [
  /_DATABASE_URL$/,
  /^REDIS_/,
  /^NATS_/,
  /^npm_/,
  /^STACK_/,
  /^STRIPE_/,
  /^(BILLING_PLANS|KEY_PEPPER|SESSION_SECRET|ORIGINALS_KEY|CONTENT_KEYS|VAULT_KEK|VAULT_KEK_FILE|VAULT_KMS_KEYS|VAULT_KMS_ENDPOINT|PORT|HEALTH_PORT|INSTANCE_ID|SPOOL_DIR|SANDBOX_URL)$/,
];

/**
 * Variables from the caller's environment that all services receive: PATH, LOG_LEVEL, OTEL_…, EGRESS_ALLOW
 * and similar.
 */
export function chooseSharedEnv(env: Readonly<Record<string, string | undefined>>): Record<string, string> {
  return Object.fromEntries(
    Object.entries(env).filter(
      (entry): entry is [string, string] =>
        entry[1] !== undefined && !ownVariables.some((pattern) => pattern.test(entry[0])),
    ),
  );
}
