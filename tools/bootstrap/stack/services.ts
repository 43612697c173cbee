import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import type { PortBook } from './ports.ts';
import { root } from './root.ts';
import type { Unit } from './runner.ts';
import { chooseSharedEnv, serviceRow } from './service-table.ts';
import type { ServiceContext } from './service-table.ts';
import type { UnpackedImage } from './stack-options.ts';

/** Loopback addresses, which the sandbox provider and a developer's other programs use. */
const DEVELOPMENT_EGRESS = '127.0.0.0/8,::1/128';

/** One process of a service. */
export interface Instance {
  readonly app: string;
  /**
   * The name of the process. The first process of the tool router is `tool-router`, and the second is
   * `tool-router-2`.
   */
  readonly name: string;
  readonly healthPort: number;
  /** The port on which the process accepts requests, or null if the process accepts no requests. */
  readonly port: number | null;
}

/** Names of the bundled apps. */
export function listBuiltApps(): string[] {
  const apps = join(root, 'dist/apps');
  if (!existsSync(apps)) return [];
  return readdirSync(apps).filter(
    (app) => existsSync(join(apps, app, 'main.js')) && existsSync(join(root, 'apps', app)),
  );
}

/**
 * Returns the service processes in a stack, each with its own ports. `edgePort` is the first edge's preferred
 * port.
 */
export async function planInstances(
  apps: readonly string[],
  replicas: Readonly<Record<string, number>>,
  ports: PortBook,
  edgePort: number | undefined,
): Promise<Instance[]> {
  const instances: Instance[] = [];
  for (const app of apps) {
    for (let number = 1; number <= (replicas[app] ?? 1); number++) {
      const name = number === 1 ? app : `${app}-${number}`;
      const wanted = name === 'edge-gateway' ? edgePort : undefined;
      const port = serviceRow(app).hasPort ? await ports.choose(name, wanted) : null;
      instances.push({ app, name, port, healthPort: await ports.choose(`${name}:health`) });
    }
  }
  return instances;
}

export interface ServiceEnvSources {
  readonly context: ServiceContext;
  /** The environment variables of the caller. */
  readonly shared: Readonly<Record<string, string>>;
  /** Variables by service name, or `*` for all services. The given variables override all other variables. */
  readonly overrides: Readonly<Record<string, Readonly<Record<string, string>>>>;
}

/** Returns the complete environment for one service process. */
export function buildServiceEnv(instance: Instance, sources: ServiceEnvSources): Record<string, string> {
  const { context, overrides } = sources;
  const { app, name, port, healthPort } = instance;
  const row = serviceRow(app);
  const password = context.inherited[`NATS_PASSWORD_${app.toUpperCase().replaceAll('-', '_')}`];
  return {
    EGRESS_ALLOW: DEVELOPMENT_EGRESS,
    ...chooseSharedEnv(sources.shared),
    HEALTH_PORT: String(healthPort),
    ...(port === null ? {} : { PORT: String(port) }),
    ...(row.usesNats
      ? {
          NATS_URL: context.infrastructure.natsUrl,
          NATS_USER: app,
          NATS_PASSWORD: password ?? context.secrets.natsUsers[app] ?? '',
        }
      : {}),
    ...row.env(context, name),
    ...overrides['*'],
    ...overrides[app],
    ...(name === app ? {} : overrides[name]),
  };
}

async function isReady(url: string): Promise<boolean> {
  try {
    const response = await fetch(url, { signal: AbortSignal.timeout(2_500) });
    await response.arrayBuffer();
    return response.ok;
  } catch {
    return false;
  }
}

export function healthUrl(instance: Instance): string {
  return `http://127.0.0.1:${instance.healthPort}/health/ready`;
}

/** Returns the command that runs a service, from this checkout's build or from an image. */
function planCommand(app: string, image: UnpackedImage | undefined) {
  if (image !== undefined) {
    const [command = '', ...args] = image.command;
    return { command, args, cwd: image.directory, ...(image.user ? { user: image.user } : {}) };
  }
  const main = join(root, 'dist/apps', app, 'main.js');
  // V8 leaves one processor without a helper thread, so garbage collection never uses all processors.
  const args = ['--enable-source-maps', '--v8-pool-size=0', ...serviceRow(app).nodeOptions, main];
  return { command: process.execPath, args, cwd: root };
}

export function planService(instance: Instance, sources: ServiceEnvSources, image?: UnpackedImage): Unit {
  const { app, name } = instance;
  const row = serviceRow(app);
  const env = { ...image?.env, ...buildServiceEnv(instance, sources) };
  return {
    name,
    stage: row.stage,
    plan: () => ({
      name,
      ...planCommand(app, image),
      env,
      logFile: sources.context.dataDir.logFile(name),
      stopSignal: 'SIGTERM',
      stopGraceMs: row.stopGraceMs,
    }),
    isReady: () => isReady(healthUrl(instance)),
  };
}
