import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openDataDir } from './data-dir.ts';
import { databaseOwners } from './databases.ts';
import type { Infrastructure } from './infrastructure.ts';
import { natsUsers } from './nats-config.ts';
import { redisUsers } from './redis-acl.ts';
import { loadSecrets } from './secrets.ts';
import { buildServiceEnv } from './services.ts';
import type { ServiceEnvSources } from './services.ts';

const path = mkdtempSync(join(tmpdir(), 'agent-gateway-services-'));
afterAll(() => rmSync(path, { recursive: true, force: true }));

const dataDir = openDataDir(path);
const secrets = loadSecrets(dataDir, { roles: databaseOwners, natsUsers, redisUsers });
const databaseUrls = {
  account: 'postgresql://a',
  vault: 'postgresql://v',
  billing: 'postgresql://b',
  telemetry: 'postgresql://t',
};

function envOf(
  app: string,
  shared: Record<string, string> = {},
  overrides: ServiceEnvSources['overrides'] = {},
  name = app,
  external: Partial<Infrastructure> = {},
): Record<string, string> {
  const infrastructure = {
    databaseUrls,
    postgresAdminUrl: 'postgresql://admin',
    redisUrls: { queue: 'redis://:secret@127.0.0.1:1', cache: 'redis://:secret@127.0.0.1:6' },
    isRedisEmbedded: { queue: true, cache: true },
    natsUrl: 'nats://127.0.0.1:2',
    ...external,
  };
  const context = { dataDir, infrastructure, secrets, sandboxPort: 3, inherited: shared };
  return buildServiceEnv({ app, name, port: 4, healthPort: 5 }, { context, shared, overrides });
}

const apps = [
  ...['edge-gateway', 'tool-router', 'compressor', 'account', 'provider-vault', 'billing'],
  'worker',
];

test.each(apps)('%s receives no secret of another service', (app) => {
  const env = envOf(app, {
    ACCOUNT_DATABASE_URL: databaseUrls.account,
    VAULT_DATABASE_URL: databaseUrls.vault,
    BILLING_DATABASE_URL: databaseUrls.billing,
    STRIPE_SECRET_KEY: 'stripe key',
    STRIPE_WEBHOOK_SECRET: 'stripe webhook secret',
    TELEMETRY_DATABASE_URL: databaseUrls.telemetry,
    KEY_PEPPER: 'pepper',
    SESSION_SECRET: 'session secret',
    SMTP_URL: 'smtp://user:password@mail.example',
    ORIGINALS_KEY: 'originals key',
    CONTENT_KEYS: 'content key',
    VAULT_KEK: 'kek',
    NATS_PASSWORD_OPERATOR: 'operator',
  });
  const owners: Record<string, string[]> = {
    ACCOUNT_DATABASE_URL: ['account'],
    KEY_PEPPER: ['account'],
    SESSION_SECRET: ['account'],
    SMTP_URL: ['account'],
    ORIGINALS_KEY: ['compressor'],
    CONTENT_KEYS: ['worker'],
    VAULT_DATABASE_URL: ['provider-vault'],
    VAULT_KEK: ['provider-vault'],
    BILLING_DATABASE_URL: ['billing'],
    STRIPE_SECRET_KEY: ['billing'],
    STRIPE_WEBHOOK_SECRET: ['billing'],
    TELEMETRY_DATABASE_URL: ['worker'],
    NATS_PASSWORD_OPERATOR: [],
  };
  for (const [variable, mayHave] of Object.entries(owners)) {
    expect({ variable, has: env[variable] !== undefined }).toEqual({ variable, has: mayHave.includes(app) });
  }
  const others = Object.entries(secrets.natsUsers).filter(([user]) => user !== app);
  for (const [, password] of others) expect(Object.values(env)).not.toContain(password);
  const otherUsers = Object.entries(secrets.redisUsers).filter(([user]) => user !== app);
  for (const [, password] of otherUsers) expect(Object.values(env).join(' ')).not.toContain(password);
  expect(env['NATS_PASSWORD']).toBe(secrets.natsUsers[app]);
});

test('variables for all services reach every service and override the development defaults', () => {
  expect(envOf('edge-gateway')['EGRESS_ALLOW']).toBe('127.0.0.0/8,::1/128');
  const env = envOf('edge-gateway', {
    EGRESS_ALLOW: '10.0.0.0/8',
    PLAN_DEADLINE_MS: '99',
    LOG_LEVEL: 'debug',
  });
  expect(env).toMatchObject({ EGRESS_ALLOW: '10.0.0.0/8', PLAN_DEADLINE_MS: '99', LOG_LEVEL: 'debug' });
});

test("a replica's variables override the variables of the service, which override the variables for all services", () => {
  const overrides = { '*': { A: '1', B: '1', C: '1' }, worker: { B: '2', C: '2' }, 'worker-2': { C: '3' } };
  expect(envOf('worker', {}, overrides)).toMatchObject({ A: '1', B: '2', C: '2' });
  expect(envOf('worker', {}, overrides, 'worker-2')).toMatchObject({ A: '1', B: '2', C: '3' });
});

test('secrets are generated only once', () => {
  expect(loadSecrets(dataDir, { roles: databaseOwners, natsUsers, redisUsers })).toEqual(secrets);
});

test('each service has its own user in an embedded Redis, and only on the servers that the service uses', () => {
  const password = secrets.redisUsers['worker'] ?? '';
  expect(envOf('worker')['REDIS_URL']).toBe(`redis://worker:${password}@127.0.0.1:1`);
  const servers = Object.fromEntries(
    apps.map((app) => [app, Object.keys(envOf(app)).filter((name) => name.startsWith('REDIS_'))]),
  );
  expect(servers).toEqual({
    'edge-gateway': ['REDIS_URL', 'REDIS_CACHE_URL'],
    'tool-router': ['REDIS_CACHE_URL'],
    compressor: ['REDIS_CACHE_URL'],
    account: ['REDIS_CACHE_URL'],
    'provider-vault': [],
    billing: ['REDIS_URL'],
    worker: ['REDIS_URL'],
  });
});

test('an external Redis is used with its own address, or with the user whose password the caller gives', () => {
  const isRedisEmbedded = { queue: false, cache: false };
  const url = 'redis://:secret@127.0.0.1:1';
  expect(envOf('worker', {}, {}, 'worker', { isRedisEmbedded })['REDIS_URL']).toBe(url);
  const shared = { REDIS_PASSWORD_WORKER: 'own', REDIS_PASSWORD_BILLING: 'other' };
  const env = envOf('worker', shared, {}, 'worker', { isRedisEmbedded });
  expect(env['REDIS_URL']).toBe('redis://worker:own@127.0.0.1:1');
  expect(Object.values(env)).not.toContain('other');
});
