import { newId } from '@gateway/persistence';
import { startStack } from '@gateway/testing';
import {
  createAccountDatabase,
  type AccountDatabase,
} from '../../../apps/account/src/persistence/account-database.ts';
import { eventually, undoAll, type Stack, type Undo } from '../stack.fixture.ts';

describe('a database scoped to an account', () => {
  let stack: Stack;
  let database: AccountDatabase;
  let mine: string;
  let theirs: string;

  const undo: Undo[] = [];

  beforeAll(async () => {
    stack = await startStack({ apps: [] });
    undo.push(() => stack.stop());
    database = createAccountDatabase({ url: stack.dev.postgres.account });
    undo.push(() => database.close());
    [mine, theirs] = [await makeAccount(), await makeAccount()];
  }, 180_000);

  afterAll(() => undoAll(undo), 120_000);

  async function makeAccount(): Promise<string> {
    const id = newId();
    await database.acrossAccounts.account.create({
      data: { id, name: id, provisionedAs: id, policy: { create: {} } },
    });
    return id;
  }
  const row = (accountId: string) => ({
    id: newId(),
    accountId,
    name: 'k',
    keyHash: Buffer.from(newId().replaceAll('-', '')),
    prefix: 'sk-svc-0000',
    last4: '0000',
    epoch: 1,
  });

  it('a database scoped to an account reads, counts, changes and deletes only the rows of its account', async () => {
    const [own, foreign] = [row(mine), row(theirs)];
    await database.forAccount(mine).apiKey.create({ data: own });
    await database.forAccount(theirs).apiKey.create({ data: foreign });
    const { apiKey } = database.forAccount(mine);

    expect((await apiKey.findMany()).map(({ id }) => id)).toEqual([own.id]);
    expect(await apiKey.findMany({ where: { accountId: theirs } })).toEqual([]);
    expect(
      await apiKey.findMany({ where: { OR: [{ accountId: theirs }, { epoch: { gte: 0 } }] } }),
    ).toHaveLength(1);
    expect(await apiKey.count()).toBe(1);
    expect(await apiKey.findUnique({ where: { id: foreign.id } })).toBeNull();
    expect(await apiKey.findFirst({ where: { keyHash: foreign.keyHash } })).toBeNull();
    await expect(apiKey.update({ where: { id: foreign.id }, data: { name: 'x' } })).rejects.toMatchObject({
      code: 'P2025',
    });
    expect(await apiKey.updateMany({ data: { name: 'mine' } })).toEqual({ count: 1 });
    expect(await apiKey.deleteMany({ where: { id: foreign.id } })).toEqual({ count: 0 });
    expect(await database.acrossAccounts.apiKey.findUnique({ where: { id: foreign.id } })).toMatchObject({
      name: 'k',
    });
  });

  it('a database scoped to an account neither writes rows of another account nor changes the owner of a row', async () => {
    const { apiKey, account } = database.forAccount(mine);
    await expect(apiKey.create({ data: row(theirs) })).rejects.toThrow('another account');
    await expect(apiKey.updateMany({ data: { accountId: theirs } })).rejects.toThrow('another account');
    const foreign = row(theirs);
    await database.forAccount(theirs).apiKey.create({ data: foreign });
    await expect(
      account.update({ where: { id: mine }, data: { keys: { connect: { id: foreign.id } } } }),
    ).rejects.toThrow('relation');
    expect(await account.findUnique({ where: { id: theirs } })).toBeNull();
  });

  it('a scoped database is also scoped within a transaction, and rolls back a failed transaction completely', async () => {
    const own = row(mine);
    const failing = database.transactionForAccount(mine, async (tx) => {
      await tx.apiKey.create({ data: own });
      expect(await tx.account.findMany()).toHaveLength(1);
      throw new Error('undo');
    });
    await expect(failing).rejects.toThrow('undo');
    expect(await database.acrossAccounts.apiKey.findUnique({ where: { id: own.id } })).toBeNull();
  });

  it('a scoped database exposes no raw SQL', async () => {
    const scoped = database.forAccount(mine) as unknown as typeof database.acrossAccounts;
    await expect(scoped.$queryRaw`SELECT * FROM api_keys`).rejects.toThrow('cannot be scoped');
    await expect(scoped.$executeRawUnsafe('DELETE FROM api_keys')).rejects.toThrow('cannot be scoped');
  });

  it('a database retries a transaction that lost a conflict', async () => {
    const other = newId();
    await database.acrossAccounts.account.create({ data: { id: other, name: 'x', provisionedAs: other } });
    let attempts = 0;
    const bothHoldTheFirst = Promise.withResolvers<undefined>();
    const deadlocked = (first: string, second: string) =>
      database.transactionAcrossAccounts(async (tx) => {
        await tx.account.update({ where: { id: first }, data: { epoch: { increment: 1 } } });
        if (++attempts === 2) bothHoldTheFirst.resolve(undefined);
        await bothHoldTheFirst.promise;
        await tx.account.update({ where: { id: second }, data: { epoch: { increment: 1 } } });
      });
    await Promise.all([deadlocked(mine, other), deadlocked(other, mine)]);
    expect(attempts).toBe(3);
    expect(await database.acrossAccounts.account.findUnique({ where: { id: other } })).toMatchObject({
      epoch: 2,
    });
  });

  it('a database limits its connections and queues excess queries', async () => {
    const url = stack.dev.postgres.account;
    const small = createAccountDatabase({ url, connectionsMax: 2 });
    try {
      const start = performance.now();
      const naps = Array.from(
        { length: 6 },
        () => small.acrossAccounts.$queryRaw`SELECT pg_sleep(0.1)::text`,
      );
      await Promise.all(naps);
      expect(performance.now() - start).toBeGreaterThan(290);
    } finally {
      await small.close();
    }
  });

  it('a client waits for a database that does not exist yet, and stops waiting on request', async () => {
    const away = createAccountDatabase({ url: 'postgresql://nobody:x@127.0.0.1:1/none' });
    expect(await away.isUp()).toBe(false);
    const attempts: number[] = [];
    const told = new AbortController();
    const onRetry = (attempt: number) => {
      // Stops the client during the pause before the next connection attempt.
      if (attempts.push(attempt) === 2) setImmediate(() => told.abort());
    };
    await expect(away.untilUp({ signal: told.signal, onRetry })).rejects.toThrow();
    expect(attempts).toEqual([1, 2]);
    await expect(away.acrossAccounts.account.count()).rejects.toMatchObject({ code: 'service_unavailable' });
    await away.close();
  });

  it('a wrong password is treated like an unreachable database, and the error does not reveal the password', async () => {
    const url = stack.dev.postgres.account.replace(/:[^:@]+@/, ':wrong-password@');
    const refused = createAccountDatabase({ url });
    const error: unknown = await refused.acrossAccounts.account.count().catch((thrown: unknown) => thrown);
    expect(error).toMatchObject({ code: 'service_unavailable' });
    expect((error as { detail: string }).detail).not.toContain('wrong-password');
    await refused.close();
  });

  it('a terminated connection and a killed Postgres cause only service_unavailable', async () => {
    const other = createAccountDatabase({ url: stack.dev.postgres.account, connectionsMax: 6 });
    const codes = new Map<string, number>();
    const note = (error: unknown) => {
      const code = String((error as { code?: unknown }).code);
      codes.set(code, (codes.get(code) ?? 0) + 1);
    };
    const queries = [
      () => other.forAccount(mine).apiKey.count(),
      () => other.acrossAccounts.$queryRaw`SELECT pg_sleep(0.02)::text`,
      () => other.transactionForAccount(mine, (tx) => tx.account.updateMany({ data: { name: 'renamed' } })),
    ];
    let isDone = false;
    const loops = [...queries, ...queries].map(async (query) => {
      while (!isDone) await query().catch(note);
    });
    const failures = () => [...codes.values()].reduce((sum, count) => sum + count, 0);
    try {
      await eventually(async () => {
        await terminateConnections(database);
        return failures() >= 30 ? true : null;
      });
      await stack.service('postgres').kill();
      const before = failures();
      await eventually(() => (failures() > before + 10 ? true : null));
      await stack.service('postgres').start();
      await other.untilUp({});
    } finally {
      isDone = true;
      await Promise.all(loops);
      await other.close();
    }
    expect([...codes.keys()]).toEqual(['service_unavailable']);
  }, 120_000);

  it('a query that waits too long for a lock fails with service_unavailable', async () => {
    const hasty = createAccountDatabase({ url: stack.dev.postgres.account, statementTimeoutMs: 100 });
    await database.transactionAcrossAccounts(async (tx) => {
      await tx.account.update({ where: { id: mine }, data: { name: 'locked' } });
      const blocked = hasty.acrossAccounts.account.update({ where: { id: mine }, data: { name: 'waiting' } });
      await expect(blocked).rejects.toMatchObject({ code: 'service_unavailable' });
    });
    await hasty.close();
  });
});

/** Terminates all other database connections of the account service's role. */
async function terminateConnections({ acrossAccounts }: AccountDatabase): Promise<void> {
  const terminated = acrossAccounts.$queryRaw`
    SELECT pg_terminate_backend(pid)::text FROM pg_stat_activity WHERE usename = current_user AND pid <> pg_backend_pid()`;
  await terminated.catch(() => undefined);
}
