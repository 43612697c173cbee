import { randomBytes } from 'node:crypto';
import { createSealingKeyPair, openSealed, seal } from '@gateway/messaging';
import { newId } from '@gateway/persistence';
import { startStack } from '@gateway/testing';
import { activateKey, getSealingKey, retireKeys } from '../../../apps/provider-vault/src/keys/change-keys.ts';
import { Enrolment } from '../../../apps/provider-vault/src/keys/enrolment.ts';
import { KeyRing, LocalKey } from '../../../apps/provider-vault/src/encryption/key-ring.ts';
import { SealingKeys } from '../../../apps/provider-vault/src/keys/sealing-keys.ts';
import type { CredentialsContext } from '../../../apps/provider-vault/src/credentials/manage-credentials.ts';
import { openCredential } from '../../../apps/provider-vault/src/credentials/open-credential.ts';
import { KeyVersions } from '../../../apps/provider-vault/src/keys/key-versions.ts';
import { createVaultDatabase } from '../../../apps/provider-vault/src/persistence/vault-database.ts';
import { putCredential } from '../../../apps/provider-vault/src/credentials/put-credential.ts';
import { rewrapCredentials } from '../../../apps/provider-vault/src/credentials/rewrap-credentials.ts';
import { undoAll, type Stack, type Undo } from '../stack.fixture.ts';

const keys = new Map([1, 2, 3].map((version) => [version, randomBytes(32)]));
const ringOf = (...versions: number[]) =>
  new KeyRing(new Map(versions.map((version) => [version, new LocalKey(keys.get(version)!)])));
const recipient = createSealingKeyPair();
const accountId = newId();

/**
 * Tests one full rotation with several vault replicas in one process. The replicas have different keys but
 * share a real database.
 */
describe('a rotation of the key-encryption key', () => {
  let stack: Stack;
  const undo: Undo[] = [];

  beforeAll(async () => {
    stack = await startStack({ apps: [] });
    undo.push(() => stack.stop());
  }, 180_000);
  afterAll(() => undoAll(undo), 120_000);

  const running = new Map<string, Enrolment>();

  /** Starts a vault replica that has the given keys. First stops a running replica with the same name. */
  async function startReplica(instanceId: string, keyRing: KeyRing): Promise<CredentialsContext> {
    const database = createVaultDatabase({ url: stack.dev.postgres.vault, connectionsMax: 4 });
    undo.push(() => database.close());
    const keyVersions = new KeyVersions(database);
    const sealingKeys = new SealingKeys(keyRing);
    const onFailure = (error: unknown) => console.error(error);
    await running.get(instanceId)?.end();
    const enrolment = await Enrolment.begin({ instanceId, keyRing, keyVersions, sealingKeys, onFailure });
    running.set(instanceId, enrolment);
    undo.push(() => enrolment.end());
    const ignore = () => undefined;
    const events = { countOpening: ignore, countRewrapping: ignore, announceChange: ignore };
    return { database, keyRing, keyVersions, sealingKeys, events };
  }

  async function sealFor(replica: CredentialsContext, apiKey: string): Promise<string> {
    const { publicKey } = await getSealingKey(replica);
    return seal(Buffer.from(JSON.stringify({ apiKey })), publicKey);
  }
  const put = async (replica: CredentialsContext, provider: string, apiKey = `key of ${provider}`) =>
    putCredential(replica, {
      accountId,
      provider,
      baseUrl: null,
      sealedSecret: await sealFor(replica, apiKey),
    });
  const open = async (replica: CredentialsContext, provider: string) => {
    const request = { accountId, provider, recipientPublicKey: recipient.publicKey };
    const { sealedSecret } = await openCredential(replica, request);
    const opened = openSealed(sealedSecret ?? '', recipient.privateKey).toString('utf8');
    return (JSON.parse(opened) as { apiKey: string }).apiKey;
  };
  const versionOf = async ({ database }: CredentialsContext, provider: string) =>
    (await database.forAccount(accountId).credential.findFirst({ where: { provider } }))?.keyVersion;
  const rewrapAll = (replica: CredentialsContext) =>
    rewrapCredentials(replica, { after: null, rowsMax: 500 });

  let a: CredentialsContext;
  let b: CredentialsContext;

  it('the vault starts with one key that every replica has', async () => {
    [a, b] = await Promise.all([startReplica('a', ringOf(1)), startReplica('b', ringOf(1))]);
    await put(a, 'openai');
    await expect(open(b, 'openai')).resolves.toBe('key of openai');
    expect((await a.keyVersions.list()).map(({ version }) => version)).toEqual([1]);
  });

  it('a vault replica is rejected if it has a different key for a version in use', async () => {
    const other = new KeyRing(new Map([[1, new LocalKey(randomBytes(32))]]));
    await expect(startReplica('c', other)).rejects.toThrow('version 1');
    await expect(startReplica('c', ringOf(2))).rejects.toThrow('version 1');
  });

  it('one replica with a new key changes nothing: the replica still encrypts with the shared key', async () => {
    a = await startReplica('a', ringOf(1, 2));
    await put(a, 'mistral');
    expect(await versionOf(a, 'mistral')).toBe(1);
    await expect(open(b, 'mistral')).resolves.toBe('key of mistral');
  });

  it('while a running replica lacks the new key, no replica encrypts with it, and the status names the replica', async () => {
    await expect(activateKey(a, { version: null })).rejects.toMatchObject({
      code: 'invalid_field',
      param: 'version',
      message: expect.stringMatching(/version 2: b\.$/),
    });
    await expect(activateKey(b, { version: 2 })).rejects.toMatchObject({ code: 'invalid_field' });
    expect((await a.keyVersions.list()).map(({ version }) => version)).toEqual([1]);
  });

  it('a different key under the same version number is not accepted', async () => {
    const other = new LocalKey(randomBytes(32));
    b = await startReplica(
      'b',
      new KeyRing(
        new Map([
          [1, new LocalKey(keys.get(1)!)],
          [2, other],
        ]),
      ),
    );
    await expect(activateKey(a, { version: 2 })).rejects.toMatchObject({ code: 'invalid_field' });
  });

  it('all replicas encrypt with the new key as soon as all have it, and decrypt with the new and the old key', async () => {
    b = await startReplica('b', ringOf(1, 2));
    await expect(activateKey(a, { version: null })).resolves.toEqual({ version: 2, previous: 1 });
    await expect(activateKey(b, { version: 2 })).resolves.toEqual({ version: 2, previous: 2 });
    await put(b, 'groq');
    expect(await versionOf(b, 'groq')).toBe(2);
    for (const provider of ['openai', 'mistral', 'groq']) {
      await expect(open(a, provider)).resolves.toBe(`key of ${provider}`);
    }
  });

  it('a replica that has only the old key does not start', async () => {
    await expect(startReplica('late', ringOf(1))).rejects.toThrow('version 2');
  });

  it('a credential that was sealed before the rotation is accepted', async () => {
    const [, before] = await a.keyVersions.list();
    const { publicKey } = await a.sealingKeys.open(before!);
    const sealedSecret = seal(Buffer.from(JSON.stringify({ apiKey: 'on its way' })), publicKey);
    await putCredential(b, { accountId, provider: 'xai', baseUrl: null, sealedSecret });
    await expect(open(a, 'xai')).resolves.toBe('on its way');
  });

  it('the old key is kept as long as any row needs the old key', async () => {
    await expect(retireKeys(a)).resolves.toEqual({ retired: [], inUse: [2, 1] });
  });

  it('the rotation skips and names a row that cannot be decrypted, and continues with the other rows', async () => {
    await a.database.acrossAccounts.credential.updateMany({
      where: { provider: 'mistral' },
      data: { baseUrl: 'https://evil.example' },
    });
    const report = await rewrapAll(a);
    expect(report).toMatchObject({ rewrapped: 1, left: 1, next: null, failed: [{ keyVersion: 1 }] });
    expect([await versionOf(a, 'openai'), await versionOf(a, 'mistral')]).toEqual([2, 1]);
    await expect(retireKeys(a)).resolves.toEqual({ retired: [], inUse: [2, 1] });
    await put(a, 'mistral');
    expect(await versionOf(a, 'mistral')).toBe(2);
  });

  it('the rotation writes one audit row per credential', async () => {
    const rows = await a.database
      .forAccount(accountId)
      .credentialAudit.findMany({ where: { action: 'rewrap' } });
    expect(rows.map(({ provider }) => provider)).toEqual(['openai']);
  });

  it('the rotation re-encrypts nothing if the audit row cannot be written', async () => {
    const sql = (text: string) => a.database.acrossAccounts.$executeRawUnsafe(text);
    const { version } = (await a.keyVersions.list())[0]!;
    [a, b] = [await startReplica('a', ringOf(1, 2, 3)), await startReplica('b', ringOf(1, 2, 3))];
    await activateKey(a, { version: null });
    await sql(`ALTER TABLE credential_audit ADD CONSTRAINT closed CHECK (action <> 'rewrap') NOT VALID`);
    try {
      await expect(rewrapAll(a)).rejects.toThrow();
    } finally {
      await sql('ALTER TABLE credential_audit DROP CONSTRAINT closed');
    }
    expect(await versionOf(a, 'openai')).toBe(version);
    await expect(rewrapAll(a)).resolves.toMatchObject({ rewrapped: 4, left: 0 });
  });

  it('the rotation retires the old keys when no row needs them, and the vault then works without the old keys', async () => {
    await expect(retireKeys(b)).resolves.toEqual({ retired: [1, 2], inUse: [3] });
    a = await startReplica('a', ringOf(3));
    for (const provider of ['openai', 'mistral', 'groq']) {
      await expect(open(a, provider)).resolves.toBe(`key of ${provider}`);
    }
    await put(a, 'openai', 'another');
    await expect(open(b, 'openai')).resolves.toBe('another');
  });

  it('the vault never encrypts with a version that was retired in the meantime', async () => {
    const stale = a.database.forAccount(accountId).credential.updateMany({ data: { keyVersion: 1 } });
    await expect(stale).rejects.toMatchObject({ code: 'P2003' });
  });

  it('the rotation resumes after any interruption, batch by batch, by key version and id', async () => {
    const providers = Array.from({ length: 12 }, (_, at) => `provider-${at}`);
    for (const provider of providers) await put(a, provider);
    keys.set(4, randomBytes(32));
    [a, b] = [await startReplica('a', ringOf(3, 4)), await startReplica('b', ringOf(3, 4))];
    await activateKey(a, { version: null });
    let after = null;
    const steps: number[] = [];
    do {
      const report = await rewrapCredentials(steps.length % 2 === 0 ? a : b, { after, rowsMax: 5 });
      steps.push(report.rewrapped);
      after = report.next;
      for (const provider of providers) await expect(open(b, provider)).resolves.toBe(`key of ${provider}`);
    } while (after !== null);
    expect(steps).toEqual([5, 5, 5, 1]);
    await expect(rewrapAll(b)).resolves.toEqual({ rewrapped: 0, failed: [], next: null, left: 0 });
  });

  it('each row is re-encrypted once even if two rotations run at the same time', async () => {
    keys.set(5, randomBytes(32));
    await retireKeys(a);
    [a, b] = [await startReplica('a', ringOf(4, 5)), await startReplica('b', ringOf(4, 5))];
    await activateKey(a, { version: null });
    const reports = await Promise.all([rewrapAll(a), rewrapAll(b), rewrapAll(a)]);
    expect(reports.reduce((sum, { rewrapped }) => sum + rewrapped, 0)).toBe(16);
  });
});
