import { createAccount, createKey, listKeys, rotateKey } from '@gateway/contracts';
import { createSealingKeyPair, openSealed, type Messaging } from '@gateway/messaging';
import { startStack } from '@gateway/testing';
import { randomBytes } from 'node:crypto';
import pg from 'pg';
import { ExpiredRecordsJob } from '../../../apps/account/src/upkeep/expired-records.job.ts';
import { replyBytesMax, recordsMax } from '../../../apps/account/src/idempotency/run-once.ts';
import { createAccountDatabase } from '../../../apps/account/src/persistence/account-database.ts';
import { connectAs, undoAll, type Stack, type Undo } from '../stack.fixture.ts';

describe('responses stored for an idempotency key', () => {
  let stack: Stack;
  let edge: Messaging;
  let pool: pg.Pool;
  let accountId: string;
  const recipient = createSealingKeyPair();
  const undo: Undo[] = [];

  beforeAll(async () => {
    stack = await startStack({ apps: ['account'] });
    undo.push(() => stack.stop());
    const operator = await connectAs(stack, 'operator');
    undo.push(() => operator.close());
    edge = await connectAs(stack, 'edge-gateway');
    undo.push(() => edge.close());
    pool = new pg.Pool({ connectionString: stack.dev.postgres.account, max: 1 });
    undo.push(() => pool.end());
    ({ accountId } = await operator.call(createAccount, { name: 'idempotency' }));
  }, 180_000);

  afterAll(() => undoAll(undo), 120_000);
  beforeEach(() => pool.query('DELETE FROM idempotency_records'));

  const newIdempotencyKey = () => randomBytes(32).toString('hex');
  async function make(idempotencyKeySha256: string) {
    const request = { accountId, body: { name: 'k' }, recipientPublicKey: recipient.publicKey };
    const { key, sealedSecret, replayed } = await edge.call(createKey, { ...request, idempotencyKeySha256 });
    return { key, replayed, secret: openSealed(sealedSecret, recipient.privateKey).toString('utf8') };
  }
  const countRecords = async () =>
    (await pool.query<{ count: number }>('SELECT count(*)::int AS count FROM idempotency_records')).rows[0]
      ?.count;
  /** Inserts idempotency records in the form that API calls create. Inserts the oldest record first. */
  const fill = (count: number, bytes: number) =>
    pool.query(
      `INSERT INTO idempotency_records
       SELECT $1, sha256(i::text::bytea), sha256(''), ''::bytea, $3, now() - ($2 - i) * interval '1 second', now() + interval '1 hour'
       FROM generate_series(1, $2) AS i`,
      [accountId, count, bytes],
    );

  it('responses stored for an idempotency key contain neither the secret nor the idempotency key', async () => {
    const idempotencyKey = newIdempotencyKey();
    const { secret } = await make(idempotencyKey);
    const { rows } = await pool.query<{ row: string; sealed_answer: Buffer }>(
      'SELECT to_jsonb(r)::text AS row, sealed_answer FROM idempotency_records r',
    );
    expect(rows).toHaveLength(1);
    for (let at = 7; at < 45; at++) {
      expect(rows[0]?.row).not.toContain(secret.slice(at, at + 8));
      expect(rows[0]?.sealed_answer.includes(secret.slice(at, at + 8))).toBe(false);
    }
    expect(rows[0]?.row).not.toContain(idempotencyKey);
    expect(stack.logs('account')).not.toContain(secret.slice(11, 23));
  });

  it('a stored response is returned for one day, and later calls with the same idempotency key create another key', async () => {
    const idempotencyKey = newIdempotencyKey();
    const first = await make(idempotencyKey);
    await expect(make(idempotencyKey)).resolves.toEqual({ ...first, replayed: true });
    const { rows } = await pool.query<{ hours: number }>(
      'SELECT extract(epoch FROM expires_at - created_at)::int / 3600 AS hours FROM idempotency_records',
    );
    expect(rows[0]?.hours).toBe(24);
    await pool.query('UPDATE idempotency_records SET expires_at = now()');
    const later = await make(idempotencyKey);
    expect(later.replayed).toBe(false);
    expect(later.key.id).not.toBe(first.key.id);
  });

  it('a stored response is deleted when it expires, even if no further calls arrive', async () => {
    await make(newIdempotencyKey());
    await pool.query('UPDATE idempotency_records SET expires_at = now()');
    await make(newIdempotencyKey());
    expect(await countRecords()).toBe(1);
    await pool.query('UPDATE idempotency_records SET expires_at = now()');
    const database = createAccountDatabase({ url: stack.dev.postgres.account });
    const errors: unknown[] = [];
    const audit = { retentionDays: 365, eventsMax: 100_000 };
    await new ExpiredRecordsJob({ database, audit, onError: (error) => errors.push(error) }).run();
    await database.close();
    expect(errors).toEqual([]);
    expect(await countRecords()).toBe(0);
  });

  it('stored responses are limited in number, and the oldest are deleted first', async () => {
    await fill(recordsMax, 1);
    const idempotencyKey = newIdempotencyKey();
    await make(idempotencyKey);
    expect(await countRecords()).toBe(recordsMax);
    const oldest = await pool.query("SELECT 1 FROM idempotency_records WHERE key_hash = sha256('1')");
    expect(oldest.rowCount).toBe(0);
    await expect(make(idempotencyKey)).resolves.toMatchObject({ replayed: true });
  });

  it('stored responses are limited in total size, but the newest response is always kept', async () => {
    await fill(4, replyBytesMax / 4);
    await make(newIdempotencyKey());
    expect(await countRecords()).toBe(4);
    await pool.query('UPDATE idempotency_records SET answer_bytes = $1', [replyBytesMax]);
    const idempotencyKey = newIdempotencyKey();
    await make(idempotencyKey);
    expect(await countRecords()).toBe(1);
    await expect(make(idempotencyKey)).resolves.toMatchObject({ replayed: true });
  });

  it('only one of twenty concurrent calls with one idempotency key runs, and a failed call stores nothing', async () => {
    const idempotencyKey = newIdempotencyKey();
    const before = (await edge.call(listKeys, { accountId })).keys.length;
    const made = await Promise.all(Array.from({ length: 20 }, () => make(idempotencyKey)));
    expect(new Set(made.map(({ secret }) => secret)).size).toBe(1);
    expect(made.filter(({ replayed }) => !replayed)).toHaveLength(1);
    expect((await edge.call(listKeys, { accountId })).keys).toHaveLength(before + 1);
    const missing = { accountId, keyId: accountId, body: {}, recipientPublicKey: recipient.publicKey };
    const failing = edge.call(rotateKey, { ...missing, idempotencyKeySha256: newIdempotencyKey() });
    await expect(failing).rejects.toMatchObject({ code: 'not_found' });
    expect(await countRecords()).toBe(1);
  });
});
