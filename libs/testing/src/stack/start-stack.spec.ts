import pg from 'pg';
import { startStack } from './start-stack.ts';
import type { StackUnderTest } from './stack-under-test.ts';

describe('a private stack without services', () => {
  let stack: StackUnderTest;

  beforeAll(async () => {
    stack = await startStack({ apps: [] });
  }, 120_000);
  afterAll(() => stack.stop(), 120_000);

  async function query(url: string, sql: string): Promise<unknown[]> {
    const client = new pg.Client({ connectionString: url });
    await client.connect();
    try {
      return (await client.query<Record<string, unknown>>(sql)).rows;
    } finally {
      await client.end();
    }
  }

  test.each(['account', 'vault', 'billing', 'telemetry'] as const)(
    'the role %s can open only its own database',
    async (owner) => {
      const own = stack.dev.postgres[owner];
      await expect(query(own, 'SELECT current_database() AS name')).resolves.toEqual([{ name: owner }]);
      for (const other of ['account', 'vault', 'billing', 'telemetry', 'postgres', 'template1']) {
        if (other === owner) continue;
        const url = own.replace(/[^/]+$/, other);
        await expect(query(url, 'SELECT 1')).rejects.toThrow(/permission denied for database/);
      }
    },
  );

  test("migrations are recorded in Prisma's format", async () => {
    const rows = await query(
      stack.dev.postgres.account,
      'SELECT migration_name, applied_steps_count, finished_at IS NOT NULL AS finished, length(checksum) AS checksum FROM _prisma_migrations',
    );
    expect(rows.length).toBeGreaterThan(0);
    for (const row of rows)
      expect(row).toMatchObject({ applied_steps_count: 1, finished: true, checksum: 64 });
  });

  test.each(['redis', 'redis-cache', 'nats', 'postgres'])('%s can be killed and restarted', async (name) => {
    const unit = stack.service(name);
    const before = unit.pid;
    await unit.kill();
    expect(unit.pid).toBeNull();
    await unit.start();
    expect(unit.pid).not.toBeNull();
    expect(unit.pid).not.toBe(before);
  });

  test('data written to Postgres is kept after a kill', async () => {
    const url = stack.dev.postgres.account;
    await query(url, 'CREATE TABLE kept (id int)');
    await query(url, 'INSERT INTO kept VALUES (7)');
    await stack.service('postgres').kill();
    await stack.service('postgres').start();
    await expect(query(url, 'SELECT id FROM kept')).resolves.toEqual([{ id: 7 }]);
  });
});

test('a stopped stack leaves no processes, ports or data', async () => {
  const stack = await startStack({ apps: [], restartCrashed: true });
  const pids = Object.values(stack.dev.services).map(({ pid }) => pid ?? 0);
  const url = stack.dev.postgres.account;
  const redis = stack.service('redis');
  const before = redis.pid;
  await redis.kill();
  await redis.waitReady();
  expect(redis.pid).not.toBe(before);

  await stack.stop();
  for (const pid of pids) expect(() => process.kill(pid, 0)).toThrow('ESRCH');
  await expect(new pg.Client({ connectionString: url }).connect()).rejects.toThrow('ECONNREFUSED');
  expect(() => stack.dev).toThrow();
}, 120_000);
