import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { serviceVariables } from '@gateway/messaging';
import { z } from 'zod';
import { applyComponent, overlays, renderOverlay, root } from './kustomize.fixture.ts';
import { listWorkloads, type Workload } from './workloads.fixture.ts';

/** Environment variables that Node itself reads. */
const ofNode = ['NODE_OPTIONS', 'NODE_EXTRA_CA_CERTS'];

const keyOf32Bytes = Buffer.alloc(32, 7).toString('base64');
/** A value of the right type for each environment variable that a Kubernetes Secret provides. */
const secretValues: Readonly<Record<string, string>> = {
  NATS_PASSWORD: 'password',
  REDIS_URL: 'redis://:password@redis:6379',
  REDIS_CACHE_URL: 'redis://:password@redis-cache:6379',
  ACCOUNT_DATABASE_URL: 'postgresql://account:password@postgres:5432/account',
  VAULT_DATABASE_URL: 'postgresql://vault:password@postgres:5432/vault',
  BILLING_DATABASE_URL: 'postgresql://billing:password@postgres:5432/billing',
  TELEMETRY_DATABASE_URL: 'postgresql://telemetry:password@postgres:5432/telemetry',
  KEY_PEPPER: keyOf32Bytes,
  SESSION_SECRET: keyOf32Bytes,
  SMTP_URL: 'smtp://user:password@mail.example:587',
  MAIL_FROM: 'Agent gateway <noreply@gateway.example>',
  PUBLIC_URL: 'https://gateway.example',
  ORIGINALS_KEY: keyOf32Bytes,
  CONTENT_KEYS: keyOf32Bytes,
};

const configModule = z.looseObject({
  loadConfig: z.custom<() => unknown>((value) => typeof value === 'function').optional(),
  readConfig: z.custom<() => unknown>((value) => typeof value === 'function').optional(),
});

function readDeclaredVariables(app: string): string[] {
  const source = readFileSync(join(root, 'apps', app, 'src/config.ts'), 'utf8');
  const own = [...source.matchAll(/^\s+(?<name>[A-Z][A-Z0-9_]+)[:,]/gm)].map(
    ({ groups }) => groups?.['name'] ?? '',
  );
  return [
    ...own,
    ...(source.includes('...serviceVariables')
      ? Object.keys(serviceVariables)
      : ['HEALTH_PORT', 'HOST', 'LOG_LEVEL']),
  ];
}

function renderEnvironment({ container }: Workload): Record<string, string> {
  return Object.fromEntries(
    container.env.map(({ name, value }) => {
      const text = value ?? secretValues[name];
      if (text === undefined) throw new Error(`No test value for ${name}.`);
      // The key file is in a volume, which does not exist in this test.
      // The test passes the key file's content in an environment variable.
      return name === 'VAULT_KEK_FILE' ? ['VAULT_KEK', keyOf32Bytes] : [name, text];
    }),
  );
}

async function startConfiguration(each: Workload): Promise<void> {
  const before = { ...process.env };
  const { loadConfig, readConfig } = configModule.parse({
    ...((await import(`../../apps/${each.name}/src/config.ts`)) as object),
  });
  try {
    process.env = renderEnvironment(each);
    (loadConfig ?? readConfig)?.();
  } finally {
    process.env = before;
  }
}

describe.each(overlays)('overlay %s', (overlay) => {
  const services = listWorkloads(renderOverlay(overlay)).filter(({ component }) => component === 'service');

  test.each(services)(
    'the manifest of $name sets only the variables that the service reads, each once',
    (each) => {
      const names = each.container.env.map(({ name }) => name);
      expect(new Set(names).size).toBe(names.length);
      const declared = readDeclaredVariables(each.name);
      expect(names.filter((name) => !declared.includes(name) && !ofNode.includes(name))).toEqual([]);
    },
  );

  test.each(services)('the service $name accepts the variables in its manifest', async (each) => {
    await expect(startConfiguration(each)).resolves.toBeUndefined();
  });

  test.each(services.filter(({ name }) => name !== 'sandbox-provider'))(
    '$name connects to NATS as its own user, with TLS outside development',
    ({ container, name }) => {
      expect(container.env).toContainEqual({ name: 'NATS_USER', value: name });
      const url = container.env.find((variable) => variable.name === 'NATS_URL')?.value;
      expect(url).toMatch(overlay === 'dev' ? /^nats:/ : /^tls:/);
    },
  );
});

test('a service with a missing variable does not start', async () => {
  const [account] = listWorkloads(renderOverlay('production')).filter(({ name }) => name === 'account');
  if (account === undefined) throw new Error('There is no account service.');
  const env = account.container.env.filter(({ name }) => name !== 'KEY_PEPPER');
  await expect(startConfiguration({ ...account, container: { ...account.container, env } })).rejects.toThrow(
    'KEY_PEPPER',
  );
});

test('the component `smtp` gives the account service the mail settings and access to mail servers', async () => {
  const manifests = applyComponent(renderOverlay('production'), join(root, 'k8s/components/smtp'));
  const [account] = listWorkloads(manifests).filter(({ name }) => name === 'account');
  if (account === undefined) throw new Error('There is no account service.');
  const names = account.container.env.map(({ name }) => name);
  expect(names).toEqual(expect.arrayContaining(['SMTP_URL', 'MAIL_FROM', 'PUBLIC_URL']));
  expect(readDeclaredVariables('account')).toEqual(
    expect.arrayContaining(names.filter((name) => !ofNode.includes(name))),
  );
  await expect(startConfiguration(account)).resolves.toBeUndefined();
  const policies = manifests.filter(({ kind }) => kind === 'NetworkPolicy');
  expect(policies.map(({ metadata }) => metadata.name)).toContain('account-to-smtp');
});
