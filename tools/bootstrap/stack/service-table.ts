import { join } from 'node:path';
import type { DataDir } from './data-dir.ts';
import type { Infrastructure } from './infrastructure.ts';
import type { Secrets } from './secrets.ts';

/** What the environment of a service is made from. */
export interface ServiceContext {
  readonly dataDir: DataDir;
  readonly infrastructure: Infrastructure;
  readonly secrets: Secrets;
  /** Where the sandbox provider listens, or null when it is not part of this stack. */
  readonly sandboxPort: number | null;
  /** Secrets that the caller's environment sets in place of the generated ones. */
  readonly inherited: Readonly<Record<string, string>>;
}

export interface ServiceRow {
  readonly stage: 0 | 1;
  /** Listens for requests at PORT, beside HEALTH_PORT. */
  readonly hasPort: boolean;
  readonly usesNats: boolean;
  /** How long it may take to end in good order: longer than it waits for its own open work. */
  readonly stopGraceMs: number;
  /** Options of Node itself. */
  readonly nodeOptions: readonly string[];
  /** Its own part of the environment; `instance` is its name among replicas. */
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

/** What each service is given beyond what all are given. An app that is not listed gets just that. */
const serviceTable: Readonly<Record<string, ServiceRow>> = {
  'edge-gateway': {
    ...base,
    stage: 0,
    hasPort: true,
    stopGraceMs: 40_000,
    // What a request allocates is dead when it is answered: with room for more requests, less of it is copied.
    nodeOptions: ['--max-semi-space-size=32'],
    env: ({ dataDir, infrastructure, sandboxPort }, instance) => ({
      REDIS_URL: infrastructure.redisUrl,
      SPOOL_DIR: dataDir.home(join('spool', instance)),
      ...(sandboxPort === null ? {} : { SANDBOX_URL: `http://127.0.0.1:${sandboxPort}/v1` }),
    }),
  },
  'tool-router': {
    ...base,
    // Plans allocate little: room for more would be held for nothing.
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
      // The token in dev.json is good for a day's work.
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

/** Without them billing is self-hosted. */
const stripeVariables = ['STRIPE_SECRET_KEY', 'STRIPE_WEBHOOK_SECRET', 'STRIPE_API_URL', 'BILLING_PLANS'];

function chooseNamed(
  inherited: ServiceContext['inherited'],
  variables: readonly string[],
): Record<string, string> {
  return Object.fromEntries(Object.entries(inherited).filter(([name]) => variables.includes(name)));
}

/** The keys that the caller names, of whichever kind; the generated one for who names none. */
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

/** Set per service by the table above, so never passed on from the caller's environment to all of them. */
const ownVariables = [
  /_DATABASE_URL$/,
  /^REDIS_/,
  /^NATS_/,
  /^npm_/,
  /^STACK_/,
  /^STRIPE_/,
  /^(BILLING_PLANS|KEY_PEPPER|SESSION_SECRET|ORIGINALS_KEY|CONTENT_KEYS|VAULT_KEK|VAULT_KEK_FILE|VAULT_KMS_KEYS|VAULT_KMS_ENDPOINT|PORT|HEALTH_PORT|INSTANCE_ID|SPOOL_DIR|SANDBOX_URL)$/,
];

/** The caller's environment as far as it is for every service: PATH, LOG_LEVEL, OTEL_…, EGRESS_ALLOW and the like. */
export function chooseSharedEnv(env: Readonly<Record<string, string | undefined>>): Record<string, string> {
  return Object.fromEntries(
    Object.entries(env).filter(
      (entry): entry is [string, string] =>
        entry[1] !== undefined && !ownVariables.some((pattern) => pattern.test(entry[0])),
    ),
  );
}
