import { join } from 'node:path';
import type { DataDir } from './data-dir.ts';
import type { Infrastructure } from './infrastructure.ts';
import type { RedisServer } from './redis-acl.ts';
import type { Secrets } from './secrets.ts';

/** The inputs for a service's environment. */
export interface ServiceContext {
  readonly dataDir: DataDir;
  readonly infrastructure: Infrastructure;
  readonly secrets: Secrets;
  /** The sandbox provider's address, or null if the stack has no sandbox provider. */
  readonly sandboxPort: number | null;
  /** Secrets from the caller's environment that replace the generated secrets. */
  readonly inherited: Readonly<Record<string, string>>;
}

export interface ServiceRow {
  readonly stage: 0 | 1;
  /** Whether the service also accepts requests on PORT, in addition to HEALTH_PORT. */
  readonly hasPort: boolean;
  readonly usesNats: boolean;
  /** Time limit in milliseconds for an orderly shutdown, longer than a service waits for its requests in progress. */
  readonly stopGraceMs: number;
  /** Command-line options for Node. */
  readonly nodeOptions: readonly string[];
  /** Service-specific variables. The parameter `instance` is the replica's name. */
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

/** Additional settings for each service. A service without an entry has no additional settings. */
const serviceTable: Readonly<Record<string, ServiceRow>> = {
  'edge-gateway': {
    ...base,
    stage: 0,
    hasPort: true,
    stopGraceMs: 40_000,
    // A request's memory becomes garbage after the response is sent.
    // With a larger young generation, the garbage collector copies less memory.
    nodeOptions: ['--max-semi-space-size=32'],
    env: (context, instance) => ({
      ...chooseRedis(context, 'edge-gateway', ['queue', 'cache']),
      SPOOL_DIR: context.dataDir.home(join('spool', instance)),
      ...(context.sandboxPort === null ? {} : { SANDBOX_URL: `http://127.0.0.1:${context.sandboxPort}/v1` }),
    }),
  },
  'tool-router': {
    ...base,
    // Planning allocates little memory, so a larger young generation would not help.
    nodeOptions: ['--max-semi-space-size=8'],
    env: (context) => chooseRedis(context, 'tool-router', ['cache']),
  },
  compressor: {
    ...base,
    env: (context) => ({
      ...chooseRedis(context, 'compressor', ['cache']),
      ORIGINALS_KEY: context.inherited['ORIGINALS_KEY'] ?? context.secrets.originalsKey,
    }),
  },
  account: {
    ...base,
    env: (context) => ({
      ACCOUNT_DATABASE_URL: context.infrastructure.databaseUrls.account,
      ...chooseRedis(context, 'account', ['cache']),
      KEY_PEPPER: context.inherited['KEY_PEPPER'] ?? context.secrets.keyPepper,
      SESSION_SECRET: context.inherited['SESSION_SECRET'] ?? context.secrets.sessionSecret,
      // The session token in dev.json should be valid for one working day.
      SESSION_TOKEN_SECONDS: context.inherited['SESSION_TOKEN_SECONDS'] ?? '43200',
      ...chooseNamed(context.inherited, mailVariables),
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
    env: (context) => ({
      BILLING_DATABASE_URL: context.infrastructure.databaseUrls.billing,
      ...chooseRedis(context, 'billing', ['queue']),
      ...chooseNamed(context.inherited, stripeVariables),
    }),
  },
  worker: {
    ...base,
    env: (context) => ({
      TELEMETRY_DATABASE_URL: context.infrastructure.databaseUrls.telemetry,
      ...chooseRedis(context, 'worker', ['queue']),
      CONTENT_KEYS: context.inherited['CONTENT_KEYS'] ?? context.secrets.contentKey,
    }),
  },
  'sandbox-provider': { ...base, hasPort: true, usesNats: false },
};

const redisVariables: Readonly<Record<RedisServer, string>> = {
  queue: 'REDIS_URL',
  cache: 'REDIS_CACHE_URL',
};

/**
 * Returns the addresses of the Redis servers that a service uses, with the service's Redis user. An external
 * Redis server has service users only if the caller sets their passwords as `REDIS_PASSWORD_<SERVICE>`.
 * Without `REDIS_PASSWORD_<SERVICE>`, services use the external address unchanged.
 */
function chooseRedis(
  { infrastructure, secrets, inherited }: ServiceContext,
  service: string,
  servers: readonly RedisServer[],
): Record<string, string> {
  const given = inherited[`REDIS_PASSWORD_${service.toUpperCase().replaceAll('-', '_')}`];
  return Object.fromEntries(
    servers.map((server) => {
      const password = infrastructure.isRedisEmbedded[server] ? secrets.redisUsers[service] : given;
      const url = infrastructure.redisUrls[server];
      return [redisVariables[server], password ? renderUserUrl(url, service, password) : url];
    }),
  );
}

/** Replaces the user in a Redis URL, which may list several Sentinels. */
function renderUserUrl(address: string, user: string, password: string): string {
  const credentials = [user, password].map(encodeURIComponent).join(':');
  return address.replace(/^([a-z-]+:\/\/)(?:[^@/?#]*@)?/, `$1${credentials}@`);
}

const vaultKeyVariables = ['VAULT_KEK', 'VAULT_KEK_FILE', 'VAULT_KMS_KEYS', 'VAULT_KMS_ENDPOINT'];

/** The variables that the account service needs to send email. */
const mailVariables = ['SMTP_URL', 'MAIL_FROM'];

/** The variables for billing with Stripe. Without Stripe, billing runs in `self_hosted` mode. */
const stripeVariables = ['STRIPE_SECRET_KEY', 'STRIPE_WEBHOOK_SECRET', 'STRIPE_API_URL', 'BILLING_PLANS'];

function chooseNamed(
  inherited: ServiceContext['inherited'],
  variables: readonly string[],
): Record<string, string> {
  return Object.fromEntries(Object.entries(inherited).filter(([name]) => variables.includes(name)));
}

/**
 * Returns the encryption keys from the caller's environment, in either of the two allowed forms. Returns the
 * generated key if the environment contains no keys.
 */
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

/** Variables that the service table sets per service. Their values in the caller's environment are ignored. */
const ownVariables = [
  /_DATABASE_URL$/,
  /^REDIS_/,
  /^NATS_/,
  /^npm_/,
  /^STACK_/,
  /^STRIPE_/,
  /^(BILLING_PLANS|KEY_PEPPER|SESSION_SECRET|SMTP_URL|MAIL_FROM|ORIGINALS_KEY|CONTENT_KEYS|VAULT_KEK|VAULT_KEK_FILE|VAULT_KMS_KEYS|VAULT_KMS_ENDPOINT|PORT|HEALTH_PORT|INSTANCE_ID|SPOOL_DIR|SANDBOX_URL)$/,
];

/**
 * Returns the caller's environment variables that all services receive, such as PATH, LOG_LEVEL, OTEL_… and
 * EGRESS_ALLOW.
 */
export function chooseSharedEnv(env: Readonly<Record<string, string | undefined>>): Record<string, string> {
  return Object.fromEntries(
    Object.entries(env).filter(
      (entry): entry is [string, string] =>
        entry[1] !== undefined && !ownVariables.some((pattern) => pattern.test(entry[0])),
    ),
  );
}
