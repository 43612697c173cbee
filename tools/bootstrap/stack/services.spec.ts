import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openDataDir } from './data-dir.ts';
import { databaseOwners } from './databases.ts';
import { natsUsers } from './nats-config.ts';
import { loadSecrets } from './secrets.ts';
import { buildServiceEnv } from './services.ts';
import type { ServiceEnvSources } from './services.ts';

const path = mkdtempSync(join(tmpdir(), 'agent-gateway-services-'));
afterAll(() => rmSync(path, { recursive: true, force: true }));

const dataDir = openDataDir(path);
const secrets = loadSecrets(dataDir, { roles: databaseOwners, natsUsers });
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
): Record<string, string> {
  const infrastructure = {
    databaseUrls,
    postgresAdminUrl: 'postgresql://admin',
    redisUrl: 'redis://:secret@127.0.0.1:1',
    natsUrl: 'nats://127.0.0.1:2',
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
    ORIGINALS_KEY: 'originals key',
    CONTENT_KEYS: 'content key',
    VAULT_KEK: 'kek',
    NATS_PASSWORD_OPERATOR: 'operator',
  });
  const owners: Record<string, string[]> = {
    ACCOUNT_DATABASE_URL: ['account'],
    KEY_PEPPER: ['account'],
    SESSION_SECRET: ['account'],
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
  expect(env['NATS_PASSWORD']).toBe(secrets.natsUsers[app]);
});

test('variables for all services reach them and override the development defaults', () => {
  expect(envOf('edge-gateway')['EGRESS_ALLOW']).toBe('127.0.0.0/8,::1/128');
  const env = envOf('edge-gateway', {
    EGRESS_ALLOW: '10.0.0.0/8',
    PLAN_DEADLINE_MS: '99',
    LOG_LEVEL: 'debug',
  });
  expect(env).toMatchObject({ EGRESS_ALLOW: '10.0.0.0/8', PLAN_DEADLINE_MS: '99', LOG_LEVEL: 'debug' });
});

test("a replica's variables override those of its service, which override those for all services", () => {
  const overrides = { '*': { A: '1', B: '1', C: '1' }, worker: { B: '2', C: '2' }, 'worker-2': { C: '3' } };
  expect(envOf('worker', {}, overrides)).toMatchObject({ A: '1', B: '2', C: '2' });
  expect(envOf('worker', {}, overrides, 'worker-2')).toMatchObject({ A: '1', B: '2', C: '3' });
});

test('secrets are generated once', () => {
  expect(loadSecrets(dataDir, { roles: databaseOwners, natsUsers })).toEqual(secrets);
});
