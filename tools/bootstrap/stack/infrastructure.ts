import type { DataDir } from './data-dir.ts';
import { createDatabases, databaseOwners, renderPostgresUrl } from './databases.ts';
import type { DatabaseOwner } from './databases.ts';
import { natsAnswers, planNats } from './nats.ts';
import type { PortBook } from './ports.ts';
import { canOpenDatabase, planPostgres } from './postgres.ts';
import { planRedis, redisAnswers, redisUnits } from './redis.ts';
import type { RedisServer } from './redis-acl.ts';
import type { Unit } from './runner.ts';
import type { Secrets } from './secrets.ts';

/** External servers that replace embedded servers. */
export interface ExternalServers {
  readonly databases: Partial<Record<DatabaseOwner, string>>;
  /**
   * The address of the queue's Redis server. Without `redisCacheUrl`, the queue's Redis server is also the
   * cache.
   */
  readonly redisUrl?: string | undefined;
  readonly redisCacheUrl?: string | undefined;
  readonly natsUrl?: string | undefined;
}

export interface Infrastructure {
  readonly databaseUrls: Readonly<Record<DatabaseOwner, string>>;
  /** The administrator's address of the embedded Postgres, or null if Postgres is external. */
  readonly postgresAdminUrl: string | null;
  /**
   * The administrator's address on each Redis server. The addresses that services use are derived from the
   * administrator's addresses by `chooseRedisUrl`.
   */
  readonly redisUrls: Readonly<Record<RedisServer, string>>;
  /** Whether each Redis server is embedded. Embedded Redis servers have the generated users. */
  readonly isRedisEmbedded: Readonly<Record<RedisServer, boolean>>;
  readonly natsUrl: string;
}

export interface InfrastructureOptions {
  readonly dataDir: DataDir;
  readonly ports: PortBook;
  readonly secrets: Secrets;
  readonly external: ExternalServers;
  readonly durable: boolean;
  /** Starts a process of the stack, keeps the process running, and resolves when the process is ready. */
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

async function startRedis(server: RedisServer, options: InfrastructureOptions): Promise<string> {
  const name = redisUnits[server];
  const port = await options.ports.choose(name);
  const { redis: adminPassword, redisUsers: passwords } = options.secrets;
  await options.run({
    name,
    stage: 2,
    plan: () => planRedis(options.dataDir, { server, port, adminPassword, passwords }),
    isReady: () => redisAnswers(port, adminPassword),
  });
  return `redis://:${adminPassword}@127.0.0.1:${port}`;
}

/**
 * A single external address may serve as both queue and cache. Earlier releases had only one Redis server,
 * and some installations still have only one server.
 */
async function startBothRedis(
  options: InfrastructureOptions,
): Promise<Pick<Infrastructure, 'redisUrls' | 'isRedisEmbedded'>> {
  const { redisUrl, redisCacheUrl = redisUrl } = options.external;
  const [queue, cache] = await Promise.all([
    redisUrl ?? startRedis('queue', options),
    redisCacheUrl ?? startRedis('cache', options),
  ]);
  const isRedisEmbedded = { queue: redisUrl === undefined, cache: redisCacheUrl === undefined };
  return { redisUrls: { queue, cache }, isRedisEmbedded };
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

/** Starts Postgres, Redis and NATS, except external servers. Creates the databases. */
export async function startInfrastructure(options: InfrastructureOptions): Promise<Infrastructure> {
  const [postgres, redis, natsUrl] = await Promise.all([
    startPostgres(options),
    startBothRedis(options),
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
    ...redis,
    natsUrl,
  };
}
