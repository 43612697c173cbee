import type { DataDir } from './data-dir.ts';
import { createDatabases, databaseOwners, renderPostgresUrl } from './databases.ts';
import type { DatabaseOwner } from './databases.ts';
import { natsAnswers, planNats } from './nats.ts';
import type { PortBook } from './ports.ts';
import { canOpenDatabase, planPostgres } from './postgres.ts';
import { planRedis, redisAnswers } from './redis.ts';
import type { Unit } from './runner.ts';
import type { Secrets } from './secrets.ts';

/** External servers that replace embedded ones. */
export interface ExternalServers {
  readonly databases: Partial<Record<DatabaseOwner, string>>;
  readonly redisUrl?: string | undefined;
  readonly natsUrl?: string | undefined;
}

export interface Infrastructure {
  readonly databaseUrls: Readonly<Record<DatabaseOwner, string>>;
  /** Administrator of the embedded Postgres; null if Postgres is external. */
  readonly postgresAdminUrl: string | null;
  readonly redisUrl: string;
  readonly natsUrl: string;
}

export interface InfrastructureOptions {
  readonly dataDir: DataDir;
  readonly ports: PortBook;
  readonly secrets: Secrets;
  readonly external: ExternalServers;
  readonly durable: boolean;
  /** Starts a unit, keeps it running, and resolves once it is ready. */
  readonly run: (unit: Unit) => Promise<void>;
}

async function startPostgres(options: InfrastructureOptions) {
  const { dataDir, secrets, external } = options;
  const owners = databaseOwners.filter((owner) => external.databases[owner] === undefined);
  if (owners.length === 0) return null;
  const port = await options.ports.choose('postgres');
  const adminPassword = secrets.postgresAdmin;
  const adminUrl = renderPostgresUrl(port, 'postgres', adminPassword, 'postgres');
  await options.run({
    name: 'postgres',
    stage: 2,
    plan: () => planPostgres(dataDir, { port, adminPassword, durable: options.durable }),
    isReady: () => canOpenDatabase(adminUrl),
  });
  await createDatabases(adminUrl, secrets.roles, owners);
  return {
    adminUrl,
    urlOf: (owner: DatabaseOwner) => renderPostgresUrl(port, owner, secrets.roles[owner] ?? '', owner),
  };
}

async function startRedis(options: InfrastructureOptions): Promise<string> {
  if (options.external.redisUrl !== undefined) return options.external.redisUrl;
  const port = await options.ports.choose('redis');
  const password = options.secrets.redis;
  await options.run({
    name: 'redis',
    stage: 2,
    plan: () => planRedis(options.dataDir, { port, password }),
    isReady: () => redisAnswers(port, password),
  });
  return `redis://:${password}@127.0.0.1:${port}`;
}

async function startNats(options: InfrastructureOptions): Promise<string> {
  if (options.external.natsUrl !== undefined) return options.external.natsUrl;
  const port = await options.ports.choose('nats');
  await options.run({
    name: 'nats',
    stage: 2,
    plan: () => planNats(options.dataDir, { port, passwords: options.secrets.natsUsers }),
    isReady: () => natsAnswers(port),
  });
  return `nats://127.0.0.1:${port}`;
}

/** Starts Postgres, Redis and NATS unless they are external, and creates the databases. */
export async function startInfrastructure(options: InfrastructureOptions): Promise<Infrastructure> {
  const [postgres, redisUrl, natsUrl] = await Promise.all([
    startPostgres(options),
    startRedis(options),
    startNats(options),
  ]);
  const urlOf = (owner: DatabaseOwner) => options.external.databases[owner] ?? postgres?.urlOf(owner) ?? '';
  return {
    databaseUrls: {
      account: urlOf('account'),
      vault: urlOf('vault'),
      billing: urlOf('billing'),
      telemetry: urlOf('telemetry'),
    },
    postgresAdminUrl: postgres?.adminUrl ?? null,
    redisUrl,
    natsUrl,
  };
}
