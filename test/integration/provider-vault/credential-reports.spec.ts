import {
  getSealingKey,
  listCredentials,
  openCredential,
  putCredential,
  reportCredential,
} from '@gateway/contracts';
import { createSealingKeyPair, seal, type Messaging } from '@gateway/messaging';
import { newId } from '@gateway/persistence';
import { startStack } from '@gateway/testing';
import { connectAs, undoAll, type Undo } from '../stack.fixture.ts';

describe('reports about the health of a credential', () => {
  let edge: Messaging;
  const recipient = createSealingKeyPair();
  const undo: Undo[] = [];

  beforeAll(async () => {
    const stack = await startStack({ apps: ['provider-vault'] });
    undo.push(() => stack.stop());
    edge = await connectAs(stack, 'edge-gateway');
    undo.push(() => edge.close());
  }, 180_000);

  afterAll(() => undoAll(undo), 120_000);

  async function put(accountId: string, provider: string) {
    const { publicKey } = await edge.call(getSealingKey, {});
    const sealedSecret = seal(Buffer.from(JSON.stringify({ apiKey: 'sk-0123456789abcdef' })), publicKey);
    return (await edge.call(putCredential, { accountId, provider, baseUrl: null, sealedSecret })).credential;
  }

  it('the vault reports that a credential was rejected, until the credential is accepted again or replaced', async () => {
    const accountId = newId();
    await put(accountId, 'openai');
    const report = (refusedStatus: number | null) =>
      edge.call(reportCredential, { accountId, provider: 'openai', refusedStatus });
    const lastError = async () => (await edge.call(listCredentials, { accountId })).credentials[0]?.lastError;
    const verified = async () => (await edge.call(listCredentials, { accountId })).credentials[0]?.verified;
    await expect(verified()).resolves.toBe(false);
    await report(null);
    await expect(verified()).resolves.toBe(true);
    await expect(report(401)).resolves.toEqual({ changed: true });
    await expect(verified()).resolves.toBe(false);
    await expect(lastError()).resolves.toBe('The provider refused the credential with status 401.');
    const request = { accountId, provider: 'openai', recipientPublicKey: recipient.publicKey };
    await expect(edge.call(openCredential, request)).resolves.toMatchObject({ isFailing: true });
    await report(null);
    await expect(lastError()).resolves.toBeNull();
    await report(403);
    await expect(put(accountId, 'openai')).resolves.toMatchObject({ lastError: null });
  });

  it('a report about a replaced version changes nothing', async () => {
    const accountId = newId();
    const request = { accountId, provider: 'openai', recipientPublicKey: recipient.publicKey };
    const shown = async () => (await edge.call(listCredentials, { accountId })).credentials[0];
    const versionOf = async () => (await edge.call(openCredential, request)).version;
    await put(accountId, 'openai');
    const replaced = await versionOf();
    await put(accountId, 'openai');
    const current = await versionOf();
    expect(current).not.toBe(replaced);
    const report = (version: string | null, refusedStatus: number | null, key = 0) =>
      edge.call(reportCredential, { accountId, provider: 'openai', version, refusedStatus, key });
    for (const [status, key] of [
      [401, 0],
      [null, 0],
      [401, 1],
    ] as const)
      await expect(report(replaced, status, key)).resolves.toEqual({ changed: false });
    await expect(shown()).resolves.toMatchObject({ lastError: null, verified: false });
    await expect(report(current, 401)).resolves.toEqual({ changed: true });
    await expect(shown()).resolves.toMatchObject({
      lastError: 'The provider refused the credential with status 401.',
    });
  });

  it('the error of an additional key stays until the same key works, and does not concern the main key', async () => {
    const accountId = newId();
    const request = { accountId, provider: 'openai', recipientPublicKey: recipient.publicKey };
    await put(accountId, 'openai');
    const report = (key: number, refusedStatus: number | null) =>
      edge.call(reportCredential, { accountId, provider: 'openai', key, refusedStatus });
    const refused = 'The provider refused the additional key 2 with status 403.';
    const lastError = async () => (await edge.call(listCredentials, { accountId })).credentials[0]?.lastError;
    await report(2, 403);
    await expect(lastError()).resolves.toBe(refused);
    await expect(edge.call(openCredential, request)).resolves.toMatchObject({
      ...{ isFailing: false, refusedKey: 2 },
    });
    await report(0, null);
    await report(1, null);
    await expect(lastError()).resolves.toBe(refused);
    await report(2, null);
    await expect(lastError()).resolves.toBeNull();
    await expect(edge.call(openCredential, request)).resolves.toMatchObject({ isVerified: true });
    const ofMainKey = 'The provider refused the credential with status 401.';
    await report(0, 401);
    await expect(report(2, 403)).resolves.toEqual({ changed: false });
    await report(2, null);
    await expect(lastError()).resolves.toBe(ofMainKey);
    await expect(edge.call(openCredential, request)).resolves.toMatchObject({ isFailing: true });
  });
});
