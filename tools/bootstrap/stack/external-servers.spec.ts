import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startStack } from '@gateway/testing';
import type { StackUnderTest } from '@gateway/testing';
import { prepareCheckout } from '../setup/prepare.ts';
import { openDataDir } from './data-dir.ts';
import { readDevInfo } from './dev-file.ts';
import { launchSupervisor } from './launch-supervisor.ts';
import { endProcess, identifyProcess } from './process-identity.ts';
import { stackOptions } from './stack-options.ts';

/** External servers, which belong to a separate stack. */
describe('URLs in the environment', () => {
  let servers: StackUnderTest;
  beforeAll(async () => {
    await prepareCheckout({ env: {} });
    servers = await startStack({ apps: [] });
  }, 60_000);
  afterAll(() => servers.stop(), 60_000);

  async function startBeside(env: Record<string, string>, apps: string[]) {
    const dataDir = mkdtempSync(join(tmpdir(), 'agent-gateway-external-'));
    const options = stackOptions.parse({ dataDir, apps, durable: false, endWithParent: true });
    const supervisor = await launchSupervisor(options, { PATH: process.env['PATH'], ...env });
    const dev = readDevInfo(openDataDir(dataDir));
    const identity = identifyProcess(supervisor.pid ?? 0);
    if (identity) await endProcess(identity, 'SIGTERM', 60_000);
    rmSync(dataDir, { recursive: true, force: true });
    if (!dev) throw new Error('no dev.json');
    return dev;
  }

  test('URLs in the environment replace all embedded servers', async () => {
    const { postgres, redis_url, nats_url, nats_operator } = servers.dev;
    const dev = await startBeside(
      {
        ACCOUNT_DATABASE_URL: postgres.account,
        VAULT_DATABASE_URL: postgres.vault,
        BILLING_DATABASE_URL: postgres.billing,
        TELEMETRY_DATABASE_URL: postgres.telemetry,
        REDIS_URL: redis_url,
        NATS_URL: nats_url,
        NATS_PASSWORD_ACCOUNT: servers.natsCredentials('account').password,
        NATS_PASSWORD_OPERATOR: nats_operator.password,
      },
      ['account'],
    );
    expect(Object.keys(dev.services)).toEqual(['account']);
    // One external Redis server serves as both queue and cache.
    expect(dev).toMatchObject({ redis_url, redis_cache_url: redis_url });
    expect(dev).toMatchObject({ nats_url, postgres: { account: postgres.account, admin: null } });
    // The account service created the account in the external database.
    // The request for the demo account reached the account service through the external NATS.
    expect(dev.api_key).toMatch(/^sk-svc-/);
  }, 60_000);

  test('URLs in the environment can replace embedded servers one by one', async () => {
    const { postgres, redis_url } = servers.dev;
    const dev = await startBeside({ REDIS_URL: redis_url, VAULT_DATABASE_URL: postgres.vault }, []);
    expect(Object.keys(dev.services).sort()).toEqual(['nats', 'postgres']);
    expect(dev).toMatchObject({ redis_url, postgres: { vault: postgres.vault } });
    expect(new URL(dev.postgres.account).port).not.toBe(new URL(postgres.vault).port);
  }, 60_000);

  test('an external queue and an external cache replace both Redis servers', async () => {
    const { redis_url, redis_cache_url } = servers.dev;
    const dev = await startBeside({ REDIS_URL: redis_url, REDIS_CACHE_URL: redis_cache_url }, []);
    expect(Object.keys(dev.services).sort()).toEqual(['nats', 'postgres']);
    expect(dev).toMatchObject({ redis_url, redis_cache_url });
  }, 60_000);
});
