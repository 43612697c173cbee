import { createDatabase } from '@gateway/persistence';
import { startStack, type StackUnderTest } from '@gateway/testing';
import { PrismaClient } from '../../../prisma/telemetry/generated/client.ts';

let stack: StackUnderTest;
beforeAll(async () => {
  stack = await startStack({ apps: [] });
}, 120_000);
afterAll(() => stack.stop(), 60_000);

/** Inserts further hosts before the host of the test database. No server listens on port 1. */
const withHosts = (hosts: string, parameters = ''): string =>
  `${stack.dev.postgres.telemetry.replace('@', `@${hosts},`)}${parameters}`;

const open = (url: string) =>
  createDatabase({ url, applicationName: 'test', createClient: (adapter) => new PrismaClient({ adapter }) });

it.each([
  ['a dead host', '127.0.0.1:1', ''],
  ['two dead hosts', '127.0.0.1:1,127.0.0.1:2', '?target_session_attrs=read-write'],
  ['the same host', '', '?target_session_attrs=primary'],
])('a URL with %s reaches the primary server', async (_, hosts, parameters) => {
  const { port } = new URL(stack.dev.postgres.telemetry);
  const database = open(withHosts(hosts || `127.0.0.1:${port}`, parameters));
  try {
    const [{ one } = { one: 0 }] = await database.acrossAccounts.$queryRaw<
      { one: number }[]
    >`SELECT 1 AS one`;
    expect(one).toBe(1);
    expect(await database.readTimeline()).toBe('00000001');
  } finally {
    await database.close();
  }
});

it('a read-only server is not a primary, so that queries fail as unavailable until a server accepts writes', async () => {
  const { admin, telemetry } = stack.dev.postgres;
  const database = open(withHosts('127.0.0.1:1'));
  const switchTo = async (mode: string) => {
    const administrator = open(`${admin}`.replace(/[^/]*$/, 'postgres'));
    await administrator.acrossAccounts.$executeRawUnsafe(
      `ALTER DATABASE ${new URL(telemetry).pathname.slice(1)} SET default_transaction_read_only = ${mode}`,
    );
    await administrator.close();
  };
  try {
    await switchTo('on');
    await expect(database.acrossAccounts.$queryRaw`SELECT 1`).rejects.toMatchObject({
      code: 'service_unavailable',
    });
    await switchTo('off');
    await expect(database.acrossAccounts.$queryRaw`SELECT 1`).resolves.toHaveLength(1);
  } finally {
    await database.close();
  }
});

it('a URL that asks for a standby is rejected', () => {
  expect(() => open(withHosts('127.0.0.1:1', '?target_session_attrs=standby'))).toThrow(
    /must be read-write or primary, not standby/,
  );
});
