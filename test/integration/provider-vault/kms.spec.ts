import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { getSealingKey, openCredential, putCredential } from '@gateway/contracts';
import { createSealingKeyPair, openSealed, seal, type Messaging } from '@gateway/messaging';
import { newId } from '@gateway/persistence';
import { startStack } from '@gateway/testing';
import {
  startKmsServer,
  type KmsServer,
} from '../../../apps/provider-vault/src/encryption/kms-server.fixture.ts';
import { connectAs, undoAll, type Stack, type Undo } from '../stack.fixture.ts';

const access = { accessKeyId: 'AKIDEXAMPLE', secretAccessKey: 'wJalrXUtnFEMI/K7MDENG+bPxRfiCYEXAMPLEKEY' };
const arnOf = (id: string) => `arn:aws:kms:eu-central-1:111122223333:key/${id}`;
const [first, second] = [arnOf('1234abcd-0000'), arnOf('1234abcd-1111')];
const root = join(import.meta.dirname, '../../..');

/**
 * The vault is built and run as in production, with the real AWS SDK and a test server in place of KMS.
 */
describe('a vault with keys in AWS KMS', () => {
  let stack: Stack;
  let kms: KmsServer;
  let edge: Messaging;
  const undo: Undo[] = [];
  const recipient = createSealingKeyPair();
  const accountId = newId();

  beforeAll(async () => {
    kms = await startKmsServer(access, [first, second]);
    undo.push(() => kms.close());
    const env = {
      VAULT_KEK: '',
      VAULT_KMS_KEYS: `1:${first}`,
      VAULT_KMS_ENDPOINT: kms.url,
      AWS_ACCESS_KEY_ID: access.accessKeyId,
      AWS_SECRET_ACCESS_KEY: access.secretAccessKey,
    };
    stack = await startStack({ apps: ['provider-vault'], env: { 'provider-vault': env } });
    undo.push(() => stack.stop());
    edge = await connectAs(stack, 'edge-gateway');
    undo.push(() => edge.close());
  }, 180_000);
  afterAll(() => undoAll(undo), 120_000);

  async function open(): Promise<string> {
    const request = { accountId, provider: 'openai', recipientPublicKey: recipient.publicKey };
    const { sealedSecret } = await edge.call(openCredential, request);
    return openSealed(sealedSecret ?? '', recipient.privateKey).toString('utf8');
  }

  it('a vault with keys in AWS KMS stores and opens credentials, and uses KMS for every data key', async () => {
    const { publicKey } = await edge.call(getSealingKey, {});
    const sealedSecret = seal(Buffer.from('{"apiKey":"sk-kept-by-kms"}'), publicKey);
    await edge.call(putCredential, { accountId, provider: 'openai', baseUrl: null, sealedSecret });
    kms.requests.length = 0;
    await expect(open()).resolves.toBe('{"apiKey":"sk-kept-by-kms"}');
    expect(kms.requests).toMatchObject([
      { target: 'TrentService.Decrypt', isSigned: true, body: { EncryptionContext: { account: accountId } } },
    ]);
    expect(JSON.stringify(kms.requests)).not.toContain(Buffer.from('sk-kept').toString('base64').slice(0, 8));
  });

  it('a vault with keys in AWS KMS reports an outage while KMS refuses requests, and resumes afterwards', async () => {
    const fault = { status: 400, type: 'AccessDeniedException' };
    kms.faults.push(fault, fault);
    await expect(open()).rejects.toMatchObject({ code: 'service_unavailable' });
    kms.faults.length = 0;
    await expect(open()).resolves.toContain('sk-kept-by-kms');
  });

  it('npm run rotate:kek rotates a key in AWS KMS, and does nothing if the key is unchanged', async () => {
    const { url, password } = stack.natsCredentials('operator');
    const env = { ...process.env, NATS_URL: url, NATS_PASSWORD: password };
    const script = join(root, 'dist/tools/rotate-kek.js');
    const run = (...args: string[]) =>
      promisify(execFile)(process.execPath, [script, ...args], { cwd: root, env });
    expect((await run()).stdout).toBe('version 1 is in use already\nin use: 1\n');
    await expect(run('2')).rejects.toMatchObject({ code: 1, stderr: expect.stringContaining('version 2') });
    await expect(run('x')).rejects.toMatchObject({ code: 1, stderr: expect.stringContaining('usage') });
  });
});
