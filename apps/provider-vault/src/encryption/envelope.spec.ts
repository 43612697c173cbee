import { randomBytes } from 'node:crypto';
import { createNonce, decrypt, encrypt } from './aes-gcm.ts';
import { encodeAssociatedData } from './associated-data.ts';
import { closeEnvelope, forgetFields, openEnvelope, type Envelope } from './envelope.ts';
import { KeyRing, LocalKey } from './key-ring.ts';
import { parseKmsKeys, parseLocalKeys } from './parse-keys.ts';

const accountId = '01997a00-0000-7000-8000-000000000001';
const place = { accountId, provider: 'openai', baseUrl: null };
const apiKey = 'sk-proj-0123456789abcdef';
const secret = { apiKey: Buffer.from(apiKey), region: Buffer.from('eu-1') };
/** A key ring with a different key for each given version. */
const ringOf = (...versions: number[]) =>
  new KeyRing(new Map(versions.map((version) => [version, new LocalKey(Buffer.alloc(32, version))])));
const ring = ringOf(1);
const close = () => closeEnvelope(ring, 1, place, secret);

/** Yields every copy of `bytes` in which exactly one bit is flipped. */
function* flipEachBit(bytes: Uint8Array): Generator<Buffer<ArrayBuffer>> {
  for (let bit = 0; bit < bytes.length * 8; bit++) {
    const flipped = Buffer.from(bytes);
    flipped[bit >> 3]! ^= 1 << (bit & 7);
    yield flipped;
  }
}

describe('the encryption with AES-GCM', () => {
  const key = Buffer.alloc(32, 3);
  const associatedData = encodeAssociatedData({ ...place, keyVersion: 1, field: 'apiKey' });
  const sealed = encrypt(key, secret.apiKey, associatedData);

  it('fails to decrypt after any flipped bit in the nonce, ciphertext and tag', () => {
    for (const flipped of flipEachBit(sealed)) expect(() => decrypt(key, flipped, associatedData)).toThrow();
  });

  it('fails to decrypt after any flipped bit in the associated data', () => {
    for (const flipped of flipEachBit(associatedData)) expect(() => decrypt(key, sealed, flipped)).toThrow();
  });

  it('fails to decrypt after any flipped bit in the key', () => {
    for (const flipped of flipEachBit(key)) expect(() => decrypt(flipped, sealed, associatedData)).toThrow();
  });

  it('fails to decrypt after any truncation, including a shortened tag', () => {
    for (let length = 0; length < sealed.length; length++) {
      expect(() => decrypt(key, sealed.subarray(0, length), associatedData)).toThrow();
    }
  });

  it('never repeats a nonce among a million nonces', () => {
    // The test compares only eight of the twelve bytes of each nonce.
    // For a million nonces, the probability of a chance collision of eight bytes is 1 in 37 million.
    const nonces = BigUint64Array.from({ length: 1_000_000 }, () => createNonce().readBigUInt64LE(4)).sort();
    expect(nonces.some((nonce, at) => nonce === nonces[at - 1])).toBe(false);
    const used = Array.from({ length: 1_000 }, () =>
      encrypt(key, secret.apiKey, associatedData).toString('hex', 0, 12),
    );
    expect(new Set(used).size).toBe(used.length);
  });
});

describe('the associated data', () => {
  it('is different for any two different storage locations', () => {
    const base = { ...place, keyVersion: 1, field: 'apiKey' };
    const places = [
      base,
      { ...base, provider: 'openaia', field: 'piKey' },
      { ...base, provider: 'openai\0', field: '\0apiKey' },
      { ...base, accountId: `${accountId}o`, provider: 'penai' },
      { ...base, baseUrl: '' },
      { ...base, baseUrl: '1' },
      { ...base, baseUrl: 'null' },
      { ...base, keyVersion: 11 },
      { ...base, field: null },
      { ...base, field: '' },
    ];
    const encoded = places.map((it) => encodeAssociatedData(it).toString('hex'));
    expect(new Set(encoded).size).toBe(places.length);
  });
});

describe('the envelope of a credential', () => {
  it('decrypts to the original fields in its original storage location', async () => {
    const envelope = await close();
    await expect(openEnvelope(ring, place, envelope)).resolves.toEqual(secret);
    expect(JSON.stringify(envelope)).not.toContain(apiKey.slice(8, 16));
  });

  it.each([
    ['another account', { accountId: accountId.replace(/1$/, '2') }],
    ['another provider', { provider: 'mistral' }],
    ['another address', { baseUrl: 'https://elsewhere.example' }],
    ['an empty address instead of none', { baseUrl: '' }],
  ])('cannot be decrypted for %s', async (_, elsewhere) => {
    const envelope = await close();
    await expect(openEnvelope(ring, { ...place, ...elsewhere }, envelope)).rejects.toThrow();
  });

  it('cannot be decrypted when two fields are swapped within a record or between records', async () => {
    const [one, other] = await Promise.all([close(), close()]);
    const { apiKey: first, region } = one.fields as { apiKey: string; region: string };
    const swapped: Envelope[] = [
      { ...one, fields: { apiKey: region, region: first } },
      { ...one, fields: { ...one.fields, apiKey: other.fields['apiKey']! } },
      { ...one, wrappedDataKey: other.wrappedDataKey },
      { ...one, fields: { other: first } },
    ];
    for (const envelope of swapped) await expect(openEnvelope(ring, place, envelope)).rejects.toThrow();
  });

  it('cannot be decrypted after any bit flip in its data key or in a field', async () => {
    const envelope = await close();
    for (const wrappedDataKey of flipEachBit(envelope.wrappedDataKey)) {
      await expect(openEnvelope(ring, place, { ...envelope, wrappedDataKey })).rejects.toThrow();
    }
    for (const flipped of flipEachBit(Buffer.from(envelope.fields['apiKey']!, 'base64'))) {
      const fields = { ...envelope.fields, apiKey: flipped.toString('base64') };
      await expect(openEnvelope(ring, place, { ...envelope, fields })).rejects.toThrow();
    }
  });

  it('cannot be decrypted under another key version, or under another key with the same version', async () => {
    const envelope = await close();
    const key = new LocalKey(Buffer.alloc(32, 1));
    const two = new KeyRing(
      new Map([
        [1, key],
        [2, key],
      ]),
    );
    await expect(openEnvelope(two, place, { ...envelope, keyVersion: 2 })).rejects.toThrow();
    const other = new KeyRing(new Map([[1, new LocalKey(Buffer.alloc(32, 2))]]));
    await expect(openEnvelope(other, place, envelope)).rejects.toThrow();
  });

  it('reports that the key is unavailable when this replica does not have the key', async () => {
    const envelope = { ...(await close()), keyVersion: 7 };
    await expect(openEnvelope(ring, place, envelope)).rejects.toMatchObject({ code: 'service_unavailable' });
  });

  it('stays readable when a key is added, and after re-encryption under the new key', async () => {
    const [before, grown] = [await close(), ringOf(1, 2)];
    const opened = await openEnvelope(grown, place, before);
    expect(opened).toEqual(secret);
    const after = await closeEnvelope(grown, 2, place, opened);
    expect(after.keyVersion).toBe(2);
    await expect(openEnvelope(ringOf(2), place, after)).resolves.toEqual(secret);
  });

  it('overwrites decrypted fields in memory after use', async () => {
    const opened = await openEnvelope(ring, place, await close());
    forgetFields(opened);
    for (const value of Object.values(opened)) expect(value.every((byte) => byte === 0)).toBe(true);
  });
});

describe('a key-encryption key', () => {
  it('has a fingerprint that identifies the key and reveals nothing else about the key', () => {
    const bytes = randomBytes(32);
    const { fingerprint } = new LocalKey(bytes);
    expect(new LocalKey(Buffer.from(bytes)).fingerprint).toBe(fingerprint);
    expect(new LocalKey(randomBytes(32)).fingerprint).not.toBe(fingerprint);
    expect(fingerprint).toMatch(/^local:[0-9a-f]{24}$/);
    expect(bytes.toString('hex')).not.toContain(fingerprint.slice(6, 14));
  });
});

describe('the keys in the configuration', () => {
  const [one, two] = [Buffer.alloc(32, 1).toString('base64'), Buffer.alloc(32, 2).toString('base64')];

  it('are either one key with version 1, or several keys with their versions', () => {
    expect([...parseLocalKeys(one)]).toEqual([[1, Buffer.alloc(32, 1)]]);
    const both = new Map([1, 2].map((version) => [version, Buffer.alloc(32, version)]));
    for (const text of [`1:${one}\n2:${two}\n`, `2:${two},1:${one}`]) {
      expect(parseLocalKeys(text)).toEqual(both);
    }
  });

  it.each(['', ' ', 'abc', `0:${one}`, one.slice(4), `1:${one} 1:${two}`, `x:${one}`, `${one}=`])(
    'must not be %j',
    (text) => {
      expect(() => parseLocalKeys(text)).toThrow(RangeError);
    },
  );

  const arn = 'arn:aws:kms:eu-west-1:111122223333:key/1234abcd-12ab-34cd-56ef-1234567890ab';

  it('in KMS are ARNs, which contain their region', () => {
    expect([...parseKmsKeys(`3:${arn}`)]).toEqual([[3, { arn, region: 'eu-west-1' }]]);
  });

  it.each([
    '1234abcd-12ab-34cd-56ef-1234567890ab',
    'alias/gateway',
    'arn:aws:kms:eu-west-1:111122223333:alias/gateway',
    `1:${arn} 1:${arn}`,
    'arn:aws:kms:evil.example/:111122223333:key/1',
  ])('in KMS must not be %j', (text) => {
    expect(() => parseKmsKeys(text)).toThrow(RangeError);
  });
});
