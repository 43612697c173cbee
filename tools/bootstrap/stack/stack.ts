import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { migrateDatabase } from '../../migrate/migrate-database.ts';
import { databaseOwners } from './databases.ts';
import { createDemoAccount, demoEmail } from './demo-account.ts';
import type { DemoAccount } from './demo-account.ts';
import { readDevInfo, writeDevInfo } from './dev-file.ts';
import type { DevInfo } from './dev-file.ts';
import { startInfrastructure } from './infrastructure.ts';
import type { ExternalServers, Infrastructure } from './infrastructure.ts';
import { natsUsers, observer } from './nats-config.ts';
import { openPortBook } from './ports.ts';
import type { PortBook } from './ports.ts';
import { redisUsers } from './redis-acl.ts';
import { root } from './root.ts';
import { loadSecrets } from './secrets.ts';
import type { Secrets } from './secrets.ts';
import { healthUrl, listBuiltApps, planInstances, planService } from './services.ts';
import type { Instance, ServiceEnvSources } from './services.ts';
import type { StackOptions } from './stack-options.ts';
import type { Supervision } from './supervision.ts';

type Env = Readonly<Record<string, string>>;

function chooseExternalServers(env: Env): ExternalServers {
  const databases = Object.fromEntries(
    databaseOwners.flatMap((owner) => {
      const url = env[`${owner.toUpperCase()}_DATABASE_URL`];
      return url ? [[owner, url]] : [];
    }),
  );
  return {
    databases,
    redisUrl: env['REDIS_URL'] || undefined,
    redisCacheUrl: env['REDIS_CACHE_URL'] || undefined,
    natsUrl: env['NATS_URL'] || undefined,
  };
}

async function migrate(
  databaseUrls: Infrastructure['databaseUrls'],
  report: (line: string) => void,
): Promise<void> {
  await Promise.all(
    databaseOwners.map(async (owner) => {
      const prismaDir = join(root, 'prisma', owner);
      if (!existsSync(prismaDir)) return;
      const applied = await migrateDatabase(prismaDir, databaseUrls[owner]);
      if (applied.length > 0) report(`migrated ${owner}: ${applied.join(', ')}`);
    }),
  );
}

/** Starts every service. Creates the demo account as soon as the account service responds. */
async function startServices(
  supervision: Supervision,
  instances: readonly Instance[],
  sources: ServiceEnvSources,
  images: StackOptions['images'],
): Promise<DemoAccount | null> {
  const known = readDevInfo(supervision.dataDir)?.api_key ?? null;
  const running = new Map(
    instances.map((instance) => {
      const unit = planService(instance, sources, images[instance.name]);
      return [instance.name, supervision.board.run(unit)];
    }),
  );
  const { infrastructure, secrets } = sources.context;
  const account = running.get('account');
  const demo = account?.then(() =>
    createDemoAccount({
      natsUrl: infrastructure.natsUrl,
      user: 'operator',
      password: operatorPassword(sources.shared, secrets),
      knownKey: known,
      personPassword: secrets.demoPassword,
    }),
  );
  const [made] = await Promise.all([demo ?? null, ...running.values()]);
  return made;
}

function operatorPassword(env: Env, secrets: Secrets): string {
  return env['NATS_PASSWORD_OPERATOR'] ?? secrets.natsUsers['operator'] ?? '';
}

function describeStack(
  supervision: Supervision,
  instances: readonly Instance[],
  sources: ServiceEnvSources,
  demo: DemoAccount | null,
): DevInfo {
  const { infrastructure, secrets } = sources.context;
  const edge = instances.find(({ name }) => name === 'edge-gateway');
  const baseUrl = edge ? `http://127.0.0.1:${edge.port ?? 0}` : null;
  const services = supervision.board.names().map((name) => {
    const instance = instances.find((candidate) => candidate.name === name);
    const health = instance ? healthUrl(instance) : null;
    const described = {
      pid: supervision.board.get(name).process?.identity.pid ?? null,
      url: instance?.port ? `http://127.0.0.1:${instance.port}` : null,
      health_url: health,
      metrics_url: health?.replace('/health/ready', '/metrics') ?? null,
      log_file: supervision.dataDir.logFile(name),
    };
    return [name, described] as const;
  });
  return {
    base_url: baseUrl,
    dashboard_url: baseUrl === null ? null : `${baseUrl}/dashboard/`,
    api_key: demo?.apiKey ?? null,
    account_id: demo?.accountId ?? null,
    session_token: demo?.sessionToken ?? null,
    demo_person:
      (demo?.sessionToken ?? null) === null ? null : { email: demoEmail, password: secrets.demoPassword },
    postgres: { ...infrastructure.databaseUrls, admin: infrastructure.postgresAdminUrl },
    redis_url: infrastructure.redisUrls.queue,
    redis_cache_url: infrastructure.redisUrls.cache,
    nats_url: infrastructure.natsUrl,
    nats_operator: { user: 'operator', password: operatorPassword(sources.shared, secrets) },
    services: Object.fromEntries(services),
  };
}

async function prepareServices(
  options: StackOptions,
  context: { supervision: Supervision; ports: PortBook; secrets: Secrets; env: Env },
  infrastructure: Infrastructure,
): Promise<{ instances: Instance[]; sources: ServiceEnvSources }> {
  const { supervision, ports, secrets, env } = context;
  const apps = options.apps ?? listBuiltApps();
  const edgePort = env['PORT'] ? Number(env['PORT']) : undefined;
  const instances = await planInstances(apps, options.replicas, ports, edgePort);
  const sandboxPort = instances.find(({ name }) => name === 'sandbox-provider')?.port ?? null;
  return {
    instances,
    sources: {
      context: { dataDir: supervision.dataDir, infrastructure, secrets, sandboxPort, inherited: env },
      shared: env,
      overrides: options.env,
    },
  };
}

/**
 * Starts a whole stack with servers, databases, migrations, services and the demo account. Resolves when all
 * processes are ready. Writes the stack's addresses and credentials to `dev.json`. Throws if a process fails
 * to start. After an error, the caller must call `supervision.end()`.
 * @param env the caller's environment, with the URLs of external servers and the variables for the services
 */
export async function startStack(
  options: StackOptions,
  supervision: Supervision,
  env: Env,
  report: (line: string) => void,
): Promise<DevInfo> {
  const ports = openPortBook(supervision.dataDir, { useDefaults: options.useDefaultPorts });
  const secrets = loadSecrets(supervision.dataDir, {
    roles: databaseOwners,
    natsUsers: options.hasObserver ? [...natsUsers, observer] : natsUsers,
    redisUsers,
  });
  const infrastructure = await startInfrastructure({
    dataDir: supervision.dataDir,
    ports,
    secrets,
    external: chooseExternalServers(env),
    durable: options.durable,
    run: (unit) => supervision.board.run(unit),
  });
  await migrate(infrastructure.databaseUrls, report);
  const prepared = await prepareServices(options, { supervision, ports, secrets, env }, infrastructure);
  const demo = await startServices(supervision, prepared.instances, prepared.sources, options.images);
  const describe = () => describeStack(supervision, prepared.instances, prepared.sources, demo);
  writeDevInfo(supervision.dataDir, describe());
  // The process id of a service changes when the service restarts.
  supervision.onChange(() => writeDevInfo(supervision.dataDir, describe()));
  supervision.setStatus('healthy');
  return describe();
}
