import { randomBytes } from 'node:crypto';
import {
  credentialChanged,
  deleteCredential,
  forgetAccountCredentials,
  getSealingKey,
  listCredentials,
  openCredential,
  putCredential,
} from '@gateway/contracts';
import { createSealingKeyPair, openSealed, seal, type Messaging } from '@gateway/messaging';
import { newId } from '@gateway/persistence';
import { startStack } from '@gateway/testing';
import pg from 'pg';
import { connectAs, eventually, undoAll, type Stack, type Undo } from '../stack.fixture.ts';

const secret = `sk-proj-${randomBytes(24).toString('hex')}`;

describe('the provider vault', () => {
  let stack: Stack;
  let edge: Messaging;
  let database: pg.Client;
  const changes: { accountId: string; provider: string }[] = [];
  const recipient = createSealingKeyPair();

  const undo: Undo[] = [];

  beforeAll(async () => {
    stack = await startStack({ apps: ['provider-vault'], replicas: { 'provider-vault': 2 } });
    undo.push(() => stack.stop());
    edge = await connectAs(stack, 'edge-gateway');
    undo.push(() => edge.close());
    edge.onBroadcast(credentialChanged, (change) => changes.push(change));
    database = new pg.Client({ connectionString: stack.dev.postgres.vault });
    await database.connect();
    undo.push(() => database.end());
  }, 180_000);

  afterAll(() => undoAll(undo), 120_000);

  async function put(accountId: string, provider: string, apiKey = secret, baseUrl: string | null = null) {
    const { publicKey } = await edge.call(getSealingKey, {});
    const sealedSecret = seal(Buffer.from(JSON.stringify({ apiKey })), publicKey);
    return (await edge.call(putCredential, { accountId, provider, baseUrl, sealedSecret })).credential;
  }
  async function open(accountId: string, provider: string) {
    const request = { accountId, provider, recipientPublicKey: recipient.publicKey };
    const { sealedSecret, baseUrl } = await edge.call(openCredential, request);
    if (sealedSecret === null) return { apiKey: null, baseUrl };
    const { apiKey } = JSON.parse(openSealed(sealedSecret, recipient.privateKey).toString('utf8')) as {
      apiKey: string;
    };
    return { apiKey, baseUrl };
  }
  const auditOf = async (accountId: string) =>
    (
      await database.query<{ action: string; provider: string; recipient_key_sha256: string | null }>(
        'SELECT action, provider, recipient_key_sha256 FROM credential_audit WHERE account_id = $1 ORDER BY id',
        [accountId],
      )
    ).rows;

  it('the vault returns the stored credential from any replica, sealed to the caller', async () => {
    const accountId = newId();
    await put(accountId, 'openai');
    await put(accountId, 'mistral', `${secret}-2`, 'https://mistral.example/v1');
    for (let i = 0; i < 10; i++) {
      await expect(open(accountId, 'openai')).resolves.toEqual({ apiKey: secret, baseUrl: null });
    }
    await expect(open(accountId, 'mistral')).resolves.toEqual({
      apiKey: `${secret}-2`,
      baseUrl: 'https://mistral.example/v1',
    });
  });

  it('the vault lists the public fields of a credential, with at most four characters of the secret', async () => {
    const accountId = newId();
    await put(accountId, 'openai');
    await put(accountId, 'groq', 'short-key-1');
    await open(accountId, 'openai');
    const { credentials } = await edge.call(listCredentials, { accountId });
    expect(credentials).toMatchObject([
      { provider: 'groq', hint: null, lastUsedAt: null, rotatedAt: null, lastError: null },
      { provider: 'openai', hint: `…${secret.slice(-4)}`, lastUsedAt: expect.any(String) },
    ]);
    expect(JSON.stringify(credentials)).not.toContain(secret.slice(-5));
  });

  it('the vault replaces a credential, records the time of the change, and notifies the gateways', async () => {
    const accountId = newId();
    const first = await put(accountId, 'openai');
    const second = await put(accountId, 'openai', `${secret}-new`);
    expect(second.createdAt).toBe(first.createdAt);
    expect(Date.parse(second.rotatedAt ?? '')).toBeGreaterThanOrEqual(Date.parse(first.createdAt));
    await expect(open(accountId, 'openai')).resolves.toMatchObject({ apiKey: `${secret}-new` });
    await eventually(() => (changes.filter((it) => it.accountId === accountId).length >= 2 ? true : null));
  });

  it('the vault keeps the last of many concurrent writes, and never fails a concurrent read', async () => {
    const accountId = newId();
    const writes = Array.from({ length: 12 }, (_, i) => put(accountId, 'openai', `${secret}-${i}`));
    await writes[0];
    const reads = Array.from({ length: 24 }, () => open(accountId, 'openai'));
    for (const { apiKey } of await Promise.all(reads)) expect(apiKey).toContain(secret);
    await Promise.all(writes);
    const { credentials } = await edge.call(listCredentials, { accountId });
    expect(credentials).toHaveLength(1);
  });

  it('the vault deletes a credential permanently, and only for the credential’s account', async () => {
    const [accountId, stranger] = [newId(), newId()];
    await put(accountId, 'openai');
    const remove = (owner: string) => edge.call(deleteCredential, { accountId: owner, provider: 'openai' });
    await expect(remove(stranger)).resolves.toEqual({ deleted: false });
    await expect(open(stranger, 'openai')).resolves.toEqual({ apiKey: null, baseUrl: null });
    await expect(remove(accountId)).resolves.toEqual({ deleted: true });
    await expect(remove(accountId)).resolves.toEqual({ deleted: false });
    await expect(open(accountId, 'openai')).resolves.toEqual({ apiKey: null, baseUrl: null });
  });

  it('the vault writes an audit row whenever a credential is stored, opened or deleted', async () => {
    const accountId = newId();
    await put(accountId, 'openai');
    await open(accountId, 'openai');
    await open(accountId, 'mistral');
    await edge.call(deleteCredential, { accountId, provider: 'openai' });
    expect(await auditOf(accountId)).toEqual([
      { action: 'put', provider: 'openai', recipient_key_sha256: null },
      { action: 'open', provider: 'openai', recipient_key_sha256: expect.stringMatching(/^[0-9a-f]{64}$/) },
      { action: 'delete', provider: 'openai', recipient_key_sha256: null },
    ]);
  });

  it('the vault releases no secret if the audit row cannot be written', async () => {
    const accountId = newId();
    await put(accountId, 'openai');
    await database.query(
      `ALTER TABLE credential_audit ADD CONSTRAINT closed CHECK (action <> 'open') NOT VALID`,
    );
    try {
      await expect(open(accountId, 'openai')).rejects.toMatchObject({ code: 'internal_error' });
    } finally {
      await database.query('ALTER TABLE credential_audit DROP CONSTRAINT closed');
    }
    await expect(open(accountId, 'openai')).resolves.toMatchObject({ apiKey: secret });
  });

  it.each([
    [
      'moved to another account',
      `UPDATE credentials SET account_id = $2 WHERE account_id = $1`,
      'openai',
      true,
    ],
    ['moved to another provider', `UPDATE credentials SET provider = 'x' WHERE account_id = $1`, 'x', false],
    [
      'given another address',
      `UPDATE credentials SET base_url = 'https://evil.example' WHERE account_id = $1`,
      'openai',
      false,
    ],
  ])('the vault does not open a row that was %s', async (_, sql, provider, moved) => {
    const [accountId, other] = [newId(), newId()];
    await put(accountId, 'openai');
    await database.query(sql, sql.includes('$2') ? [accountId, other] : [accountId]);
    await expect(open(moved ? other : accountId, provider)).rejects.toMatchObject({ code: 'internal_error' });
  });

  it('the vault rejects a row with a key version that is not in use', async () => {
    const accountId = newId();
    await put(accountId, 'openai');
    const renamed = database.query(`UPDATE credentials SET key_version = 2 WHERE account_id = $1`, [
      accountId,
    ]);
    await expect(renamed).rejects.toMatchObject({ code: '23503' });
  });

  it('the vault does not open rows with swapped secrets', async () => {
    const [one, two] = [newId(), newId()];
    await Promise.all([put(one, 'openai'), put(two, 'openai', `${secret}-two`)]);
    await database.query(
      `UPDATE credentials a SET fields = b.fields, wrapped_data_key = b.wrapped_data_key FROM credentials b
       WHERE a.account_id = ANY($1) AND b.account_id = ANY($1) AND a.account_id <> b.account_id`,
      [[one, two]],
    );
    for (const accountId of [one, two]) {
      await expect(open(accountId, 'openai')).rejects.toMatchObject({ code: 'internal_error' });
    }
  });

  it('the vault rejects a credential that is sealed to another key, and a sealed text that is no credential', async () => {
    const accountId = newId();
    const request = { accountId, provider: 'openai', baseUrl: null };
    const foreign = seal(Buffer.from('{"apiKey":"k"}'), recipient.publicKey);
    await expect(edge.call(putCredential, { ...request, sealedSecret: foreign })).rejects.toMatchObject({
      code: 'service_unavailable',
    });
    const { publicKey } = await edge.call(getSealingKey, {});
    const empty = seal(Buffer.from(`not json: ${secret}`), publicKey);
    await expect(edge.call(putCredential, { ...request, sealedSecret: empty })).rejects.toMatchObject({
      code: 'invalid_field',
    });
  });

  it('the vault limits the number of credentials per account', async () => {
    const accountId = newId();
    await put(accountId, 'provider-0');
    await database.query(
      `INSERT INTO credentials (id, account_id, provider, key_version, wrapped_data_key, fields)
       SELECT gen_random_uuid(), account_id, 'provider-' || n, 1, wrapped_data_key, fields
       FROM credentials, generate_series(1, 199) n WHERE account_id = $1`,
      [accountId],
    );
    await expect(put(accountId, 'one-more')).rejects.toMatchObject({
      code: 'invalid_field',
      param: 'provider',
    });
    await expect(put(accountId, 'provider-0', `${secret}-again`)).resolves.toMatchObject({
      provider: 'provider-0',
    });
  });

  it('the vault keeps secrets out of the database and the database log', async () => {
    const { rows } = await database.query<{ dump: string }>(
      `SELECT string_agg(to_jsonb(c)::text, '') || (SELECT string_agg(to_jsonb(a)::text, '') FROM credential_audit a)
       AS dump FROM credentials c`,
    );
    const logs = stack.logs('provider-vault') + stack.logs('provider-vault-2') + stack.logs('postgres');
    for (const text of [rows[0]?.dump ?? '', logs]) {
      expect(text.length).toBeGreaterThan(100);
      for (let at = 8; at + 12 <= secret.length; at++) {
        const part = secret.slice(at, at + 12);
        expect(text).not.toContain(part);
        expect(text).not.toContain(Buffer.from(part).toString('base64').slice(0, 16));
        expect(text).not.toContain(Buffer.from(part).toString('hex'));
      }
    }
  });

  it('the vault deletes all data of an account except the audit rows, even if the call is repeated', async () => {
    const [accountId, other] = [newId(), newId()];
    await Promise.all([put(accountId, 'openai'), put(accountId, 'mistral'), put(other, 'openai')]);
    const account = await connectAs(stack, 'account');
    try {
      await expect(account.call(forgetAccountCredentials, { accountId })).resolves.toEqual({
        credentials: 2,
      });
      await expect(account.call(forgetAccountCredentials, { accountId })).resolves.toEqual({
        credentials: 0,
      });
    } finally {
      await account.close();
    }
    await expect(open(accountId, 'openai')).resolves.toEqual({ apiKey: null, baseUrl: null });
    await expect(put(accountId, 'openai')).rejects.toMatchObject({ code: 'not_found' });
    await expect(open(other, 'openai')).resolves.toMatchObject({ apiKey: secret });
    expect((await auditOf(accountId)).map(({ action }) => action)).toEqual([
      'put',
      'put',
      'delete',
      'delete',
    ]);
    await eventually(() => (changes.filter((it) => it.accountId === accountId).length >= 4 ? true : null));
  });

  it('the vault rejects callers without permission', async () => {
    const router = await connectAs(stack, 'tool-router');
    try {
      const request = { accountId: newId(), provider: 'openai', recipientPublicKey: recipient.publicKey };
      await expect(router.call(openCredential, request, { deadlineMs: 1_000 })).rejects.toMatchObject({
        code: 'service_unavailable',
      });
    } finally {
      await router.close();
    }
  });
});
