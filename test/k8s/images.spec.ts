import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { builtinModules } from 'node:module';
import { join } from 'node:path';
import { validate as validateDockerfile } from 'dockerfile-utils';
import { parse } from 'yaml';
import { z } from 'zod';
import { overlays, renderOverlay, root } from './kustomize.fixture.ts';
import { listWorkloads } from './workloads.fixture.ts';

const dockerfile = readFileSync(join(root, 'deploy/Dockerfile'), 'utf8');
/** The names of the apps that run as processes. The edge image contains the dashboard as static files. */
const apps = readdirSync(join(root, 'apps')).filter((app) =>
  existsSync(join(root, 'apps', app, 'src/main.ts')),
);

const composeService = z.looseObject({
  image: z.string(),
  profiles: z.array(z.string()).optional(),
  user: z.string().optional(),
  read_only: z.boolean().optional(),
  cap_drop: z.array(z.string()).optional(),
  environment: z.record(z.string(), z.string()).optional(),
  volumes: z.array(z.string()).default([]),
  ports: z.array(z.string()).default([]),
});
const compose = z
  .looseObject({ services: z.record(z.string(), composeService), volumes: z.record(z.string(), z.null()) })
  .parse(parse(readFileSync(join(root, 'deploy/compose.yaml'), 'utf8'), { merge: true }));

/**
 * Returns the packages that a source file imports at run time. Excludes packages from which the file imports
 * only types.
 */
function listImportedPackages(file: string): string[] {
  const source = readFileSync(file, 'utf8').replaceAll(/^(?:import|export) type [^;]*;/gm, '');
  return [...source.matchAll(/(?:from|import|import\()\s*'(?<name>[@\w][\w@/.:-]*)'/g)]
    .map(({ groups }) => groups?.['name'] ?? '')
    .map((name) =>
      name
        .split('/')
        .slice(0, name.startsWith('@') ? 2 : 1)
        .join('/'),
    )
    .filter(
      (name) => !name.startsWith('node:') && !name.startsWith('@gateway/') && !builtinModules.includes(name),
    );
}

function listSources(directory: string): string[] {
  return readdirSync(join(root, directory), { recursive: true, encoding: 'utf8' })
    .filter((file) => file.endsWith('.ts') && !/\.(spec|fixture|child)\.ts$|generated\//.test(file))
    .map((file) => join(root, directory, file));
}

describe('the Dockerfile', () => {
  test('the Dockerfile passes the Dockerfile linter', () => {
    expect(
      validateDockerfile(dockerfile).map(({ message, range }) => ({ line: range.start.line + 1, message })),
    ).toEqual([]);
  });

  test('the Dockerfile runs every image as an unprivileged user, with a health check', () => {
    const stages = dockerfile.split(/^FROM /m).slice(1);
    const images = stages.filter((stage) => /^(ENTRYPOINT|CMD) /m.test(stage));
    expect(images).toHaveLength(2);
    for (const image of images) {
      expect(image).toMatch(/^USER 1000:1000$/m);
      expect(image).toMatch(/^HEALTHCHECK /m);
      expect(image).not.toContain('--from=build /app/node_modules');
    }
    expect(dockerfile).toMatch(/npm ci [^\n]*--omit=dev/);
  });

  test('the build context contains every file that the Dockerfile copies from the checkout', () => {
    const ignored = readFileSync(join(root, 'deploy/Dockerfile.dockerignore'), 'utf8').split('\n');
    const copied = [...dockerfile.matchAll(/^COPY (?!--)(?<paths>.+)$/gm)]
      .flatMap(({ groups }) => (groups?.['paths'] ?? '').split(' ').slice(0, -1))
      .filter((path) => path !== '.');
    for (const path of copied) expect(ignored).toContain(`!${path.split('/')[0] ?? ''}`);
  });

  test('every package needed at run time is a production dependency', () => {
    const { dependencies } = z
      .looseObject({ dependencies: z.record(z.string(), z.string()) })
      .parse(JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')));
    // `@prisma/driver-adapter-utils` is installed with the production package @prisma/adapter-pg.
    const present = new Set([...Object.keys(dependencies), '@prisma/driver-adapter-utils']);
    const libs = readdirSync(join(root, 'libs')).filter((lib) => lib !== 'testing');
    const sources = [
      ...apps.map((app) => `apps/${app}/src`),
      ...libs.map((lib) => `libs/${lib}/src`),
      'tools/migrate',
    ];
    const missing = sources.flatMap(listSources).flatMap((file) =>
      listImportedPackages(file)
        .filter((name) => !present.has(name))
        .map((name) => `${file.slice(root.length + 1)}: ${name}`),
    );
    expect(missing).toEqual([]);
  });
});

test('the Dockerfile builds every image in the manifests, except the data stores for trials', () => {
  const built = [...apps, 'migrate'].map((app) => `agent-gateway/${app}`);
  for (const overlay of overlays)
    for (const { container, component } of listWorkloads(renderOverlay(overlay)))
      expect(component === 'data' ? ['postgres', 'redis', 'nats'] : built).toContain(
        container.image.split(':')[0],
      );
});

describe('compose', () => {
  test('compose starts only the data stores by default, and the full system with a profile', () => {
    const plain = Object.entries(compose.services).filter(([, { profiles }]) => profiles === undefined);
    expect(plain.map(([name]) => name).sort()).toEqual(['nats', 'postgres', 'redis', 'redis-cache']);
    expect(Object.keys(compose.services)).toEqual(expect.arrayContaining(apps));
  });

  test.each(apps)('the service %s has the variables and restrictions of its manifest', (app) => {
    const service = compose.services[app];
    expect(service).toMatchObject({ user: '1000:1000', read_only: true, cap_drop: ['ALL'] });
    const own = listWorkloads(renderOverlay('dev')).find(({ name }) => name === app);
    // These environment variables may differ between deploy/compose.yaml and the Kubernetes manifests.
    // Encryption keys come in two forms, and the other listed variables have defaults or belong to Node.
    const apart = [
      'NODE_OPTIONS',
      // NODE_EXTRA_CA_CERTS is only needed for TLS to NATS, which the dev overlay does not use.
      'NODE_EXTRA_CA_CERTS',
      'LOG_LEVEL',
      'VAULT_KEK_FILE',
      'VAULT_KEK',
      'DRAIN_TIMEOUT_MS',
      'OTEL_EXPORTER_OTLP_ENDPOINT',
      // Email is a separate component, which the dev overlay does not use.
      ...['SMTP_URL', 'MAIL_FROM', 'PUBLIC_URL'],
    ];
    const names = (list: readonly string[]) => list.filter((name) => !apart.includes(name)).sort();
    expect(names(Object.keys(service?.environment ?? {}))).toEqual(
      names(own?.container.env.map(({ name }) => name) ?? []),
    );
  });

  test('compose mounts only existing files and listens only on loopback', () => {
    for (const { volumes, ports } of Object.values(compose.services)) {
      for (const [source = ''] of volumes.map((volume) => volume.split(':')))
        if (source.startsWith('.') && !source.includes('.data/'))
          expect(() => readFileSync(join(root, 'deploy', source))).not.toThrow();
        else if (!source.startsWith('.')) expect(Object.keys(compose.volumes)).toContain(source);
      for (const port of ports) expect(port).toMatch(/^127\.0\.0\.1:/);
    }
  });
});
