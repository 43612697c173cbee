import { KMSClient } from '@aws-sdk/client-kms';
import { AwsKmsKey } from './aws-kms-key.adapter.ts';
import { bindDataKey } from './associated-data.ts';
import { createKeyRing, type KeyRing } from './key-ring.ts';
import { closeEnvelope, openEnvelope } from './envelope.ts';
import { startKmsServer, type KmsServer } from './kms-server.fixture.ts';

const access = { accessKeyId: 'AKIDEXAMPLE', secretAccessKey: 'wJalrXUtnFEMI/K7MDENG+bPxRfiCYEXAMPLEKEY' };
const arnOf = (id: string) => `arn:aws:kms:eu-west-1:111122223333:key/${id}`;
const [first, second] = [
  arnOf('1234abcd-12ab-34cd-56ef-1234567890ab'),
  arnOf('mrk-0987dcba09fe87dc65ba43210987dcba'),
];
const place = {
  accountId: '01997a00-0000-7000-8000-000000000001',
  provider: 'openai',
  baseUrl: 'https://own.example/v1',
};
const secret = { apiKey: Buffer.from('sk-proj-0123456789abcdef') };

describe('AWS KMS keys', () => {
  let kms: KmsServer;
  let ring: KeyRing;

  beforeAll(async () => {
    // The SDK finds AWS credentials automatically. The settings of the machine must not affect this test.
    Object.assign(process.env, {
      AWS_ACCESS_KEY_ID: access.accessKeyId,
      AWS_SECRET_ACCESS_KEY: access.secretAccessKey,
      AWS_EC2_METADATA_DISABLED: 'true',
      AWS_CONFIG_FILE: '/dev/null',
      AWS_SHARED_CREDENTIALS_FILE: '/dev/null',
    });
    kms = await startKmsServer(access, [first, second]);
    const names = [first, second].map((arn, at) => [at + 1, { arn, region: 'eu-west-1' }] as const);
    ring = createKeyRing({
      local: new Map([[9, Buffer.alloc(32, 9)]]),
      kms: new Map(names),
      kmsEndpoint: kms.url,
    });
  });
  beforeEach(() => {
    kms.requests.length = 0;
    kms.faults.length = 0;
  });
  afterAll(() => kms.close());

  const close = () => closeEnvelope(ring, 1, place, secret);

  it('encrypt and decrypt data keys with signed requests in the KMS format', async () => {
    const envelope = await close();
    await expect(openEnvelope(ring, place, envelope)).resolves.toEqual(secret);
    expect(kms.requests).toMatchObject([
      { target: 'TrentService.Encrypt', isSigned: true, body: { KeyId: first } },
      {
        target: 'TrentService.Decrypt',
        isSigned: true,
        body: { KeyId: first, CiphertextBlob: Buffer.from(envelope.wrappedDataKey).toString('base64') },
      },
    ]);
  });

  it('never receive a credential, and the encryption context logs the owner of the credential', async () => {
    await close();
    const { body } = kms.requests[0]!;
    expect(Buffer.from(body.Plaintext ?? '', 'base64')).toHaveLength(32);
    expect(body.EncryptionContext).toEqual({
      account: place.accountId,
      provider: 'openai',
      key_version: '1',
      binding: expect.stringMatching(/^[A-Za-z0-9+/]{43}=$/),
    });
    expect(JSON.stringify(body)).not.toContain('own.example');
  });

  it.each([
    ['another account', { accountId: place.accountId.replace(/1$/, '2') }],
    ['another provider', { provider: 'mistral' }],
    ['another address', { baseUrl: 'https://evil.example/v1' }],
  ])('do not decrypt a data key for %s', async (_, elsewhere) => {
    const envelope = await close();
    await expect(openEnvelope(ring, { ...place, ...elsewhere }, envelope)).rejects.toMatchObject({
      name: 'InvalidCiphertextException',
    });
  });

  it('do not decrypt data encrypted with another key, or data with a changed bit', async () => {
    const envelope = await close();
    await expect(openEnvelope(ring, place, { ...envelope, keyVersion: 2 })).rejects.toThrow();
    const wrappedDataKey = Buffer.from(envelope.wrappedDataKey);
    for (const at of [0, 20, wrappedDataKey.length - 1]) {
      const changed = Buffer.from(wrappedDataKey);
      changed[at]! ^= 1;
      await expect(openEnvelope(ring, place, { ...envelope, wrappedDataKey: changed })).rejects.toThrow();
    }
  });

  it('can be used together with local keys, so that an operator can migrate in both directions', async () => {
    const local = await closeEnvelope(ring, 9, place, secret);
    const moved = await closeEnvelope(ring, 2, place, await openEnvelope(ring, place, local));
    await expect(openEnvelope(ring, place, moved)).resolves.toEqual(secret);
    expect(ring.versions).toEqual([1, 2, 9]);
    expect(ring.fingerprints[2]).toBe(`kms:${second}`);
  });

  it('are called a second time when KMS throttles or fails', async () => {
    kms.faults.push({ status: 400, type: 'ThrottlingException' });
    await expect(close()).resolves.toMatchObject({ keyVersion: 1 });
    kms.faults.push({ status: 500, type: 'KMSInternalException' });
    await expect(close()).resolves.toMatchObject({ keyVersion: 1 });
    expect(kms.requests).toHaveLength(4);
  });

  it.each([
    ['KMS keeps failing', 500, 'KMSInternalException'],
    ['the key is disabled', 400, 'DisabledException'],
    ['access is denied', 400, 'AccessDeniedException'],
  ])(
    'report that the key is unavailable, and not that a record is damaged, when %s',
    async (_, status, type) => {
      const envelope = await close();
      kms.faults.push({ status, type }, { status, type });
      await expect(openEnvelope(ring, place, envelope)).rejects.toMatchObject({
        code: 'service_unavailable',
      });
    },
  );

  it('do not block a request when KMS does not respond', async () => {
    kms.faults.push('hang', 'hang');
    const startedAt = performance.now();
    await expect(close()).rejects.toMatchObject({ code: 'service_unavailable' });
    // The time limit for a call to KMS is three seconds, and the test adds a margin for a busy machine.
    expect(performance.now() - startedAt).toBeLessThan(12_000);
  });

  it('cannot be used with unknown AWS credentials', async () => {
    const stranger = new KMSClient({
      region: 'eu-west-1',
      endpoint: kms.url,
      credentials: { ...access, secretAccessKey: 'another' },
      maxAttempts: 1,
    });
    const key = new AwsKmsKey(stranger, { arn: first, region: 'eu-west-1' });
    await expect(key.wrap(Buffer.alloc(32), bindDataKey(place, 1))).rejects.toMatchObject({
      code: 'service_unavailable',
    });
    expect(kms.requests[0]?.isSigned).toBe(false);
  });
});
