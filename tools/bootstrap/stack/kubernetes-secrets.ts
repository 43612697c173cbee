import type { contractTable, ServiceName } from '@gateway/contracts';
import { databaseOwners } from './databases.ts';
import { natsUsers, renderNatsConfig } from './nats-config.ts';
import { renderRedisAcl } from './redis-acl.ts';
import type { Secrets } from './secrets.ts';

/** A Kubernetes Secret as JSON, which `kubectl apply -f` accepts. */
export interface SecretManifest {
  readonly apiVersion: 'v1';
  readonly kind: 'Secret';
  readonly metadata: { readonly name: string };
  readonly type: 'Opaque';
  readonly stringData: Readonly<Record<string, string>>;
}

/** The NATS ports in k8s/components/embedded-data. */
const NATS_PORT = 4222;
const NATS_MONITOR_PORT = 8222;

function renderSecret(name: string, stringData: Readonly<Record<string, string>>): SecretManifest {
  return { apiVersion: 'v1', kind: 'Secret', metadata: { name }, type: 'Opaque', stringData };
}

/**
 * Each service's environment variables, in addition to its NATS password. The addresses match the addresses
 * in k8s/components/embedded-data.
 */
function renderOwnSecrets(secrets: Secrets): Partial<Record<ServiceName, Record<string, string>>> {
  const ofQueue = (service: ServiceName) => renderRedisUrl('redis', service, secrets);
  const ofCache = (service: ServiceName) => renderRedisUrl('redis-cache', service, secrets);
  const databaseUrl = (owner: string) =>
    `postgresql://${owner}:${secrets.roles[owner] ?? ''}@postgres:5432/${owner}`;
  return {
    'edge-gateway': { REDIS_URL: ofQueue('edge-gateway'), REDIS_CACHE_URL: ofCache('edge-gateway') },
    'tool-router': { REDIS_CACHE_URL: ofCache('tool-router') },
    compressor: { REDIS_CACHE_URL: ofCache('compressor'), ORIGINALS_KEY: secrets.originalsKey },
    account: {
      ACCOUNT_DATABASE_URL: databaseUrl('account'),
      REDIS_CACHE_URL: ofCache('account'),
      KEY_PEPPER: secrets.keyPepper,
      SESSION_SECRET: secrets.sessionSecret,
    },
    'provider-vault': { VAULT_DATABASE_URL: databaseUrl('vault') },
    billing: { BILLING_DATABASE_URL: databaseUrl('billing'), REDIS_URL: ofQueue('billing') },
    worker: {
      TELEMETRY_DATABASE_URL: databaseUrl('telemetry'),
      REDIS_URL: ofQueue('worker'),
      CONTENT_KEYS: secrets.contentKey,
    },
  };
}

function renderRedisUrl(host: string, service: ServiceName, secrets: Secrets): string {
  return `redis://${service}:${secrets.redisUsers[service] ?? ''}@${host}:6379`;
}

/** Returns the ACL files for both Redis servers. The ACL files contain password hashes, not passwords. */
function renderRedisUsers({ redis: adminPassword, redisUsers: passwords }: Secrets): Record<string, string> {
  return {
    'queue.acl': renderRedisAcl({ server: 'queue', adminPassword, passwords }),
    'cache.acl': renderRedisAcl({ server: 'cache', adminPassword, passwords }),
  };
}

function renderDataStoreSecrets(secrets: Secrets): Record<string, string> {
  const passwords = databaseOwners.map((owner) => [
    `${owner.toUpperCase()}_PASSWORD`,
    secrets.roles[owner] ?? '',
  ]);
  return {
    POSTGRES_PASSWORD: secrets.postgresAdmin,
    REDIS_PASSWORD: secrets.redis,
    ...(Object.fromEntries(passwords) as Record<string, string>),
  };
}

/**
 * Returns every Secret that k8s/overlays/dev references, one per service. NATS users and their permissions
 * come from the RPC contracts.
 */
export function renderKubernetesSecrets(secrets: Secrets, contracts: typeof contractTable): SecretManifest[] {
  const own = renderOwnSecrets(secrets);
  const ofServices = natsUsers.map((user) =>
    renderSecret(user, { NATS_PASSWORD: secrets.natsUsers[user] ?? '', ...own[user] }),
  );
  const natsConfig = renderNatsConfig({
    host: '0.0.0.0',
    port: NATS_PORT,
    monitorPort: NATS_MONITOR_PORT,
    passwords: secrets.natsUsers,
    contracts,
  });
  return [
    ...ofServices,
    renderSecret('vault-kek', { kek: secrets.vaultKek }),
    renderSecret('embedded-data', renderDataStoreSecrets(secrets)),
    renderSecret('redis-users', renderRedisUsers(secrets)),
    renderSecret('nats-server', { 'nats-server.conf': natsConfig }),
  ];
}
