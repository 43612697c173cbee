import { encodeAssociatedData } from './associated-data.ts';
import { decrypt, encrypt } from './aes-gcm.ts';
import { closeEnvelope, openEnvelope, type Envelope } from './envelope.ts';
import { LocalKeyRing, parseKeyRing } from './local-key-ring.ts';

const accountId = '01997a00-0000-7000-8000-000000000001';
const place = { accountId, provider: 'openai', baseUrl: null };
const secret = { apiKey: 'sk-proj-0123456789abcdef', region: 'eu-1' };
const ring = new LocalKeyRing(new Map([[1, Buffer.alloc(32, 1)]]));

/** Every copy of `bytes` with one bit flipped. */
function* flipEachBit(bytes: Uint8Array): Generator<Buffer<ArrayBuffer>> {
  for (let bit = 0; bit < bytes.length * 8; bit++) {
    const flipped = Buffer.from(bytes);
    flipped[bit >> 3]! ^= 1 << (bit & 7);
    yield flipped;
  }
}

describe('AES-GCM', () => {
  const key = Buffer.alloc(32, 3);
  const associatedData = encodeAssociatedData({ ...place, keyVersion: 1, field: 'apiKey' });
  const sealed = encrypt(key, Buffer.from(secret.apiKey), associatedData);

  it('fails for every single flipped bit of nonce, ciphertext and tag', () => {
    for (const flipped of flipEachBit(sealed)) expect(() => decrypt(key, flipped, associatedData)).toThrow();
  });

  it('fails for every single flipped bit of the associated data', () => {
    for (const flipped of flipEachBit(associatedData)) expect(() => decrypt(key, sealed, flipped)).toThrow();
  });

  it('fails for every single flipped bit of the key', () => {
    for (const flipped of flipEachBit(key)) expect(() => decrypt(flipped, sealed, associatedData)).toThrow();
  });

  it('fails for every cut, a shortened tag included', () => {
    for (let length = 0; length < sealed.length; length++) {
      expect(() => decrypt(key, sealed.subarray(0, length), associatedData)).toThrow();
    }
  });

  it('never uses a nonce twice', () => {
    const count = 20_000;
    const nonces = new Set<string>();
    for (let i = 0; i < count; i++) {
      nonces.add(encrypt(key, Buffer.alloc(0), associatedData).toString('latin1', 0, 12));
    }
    expect(nonces.size).toBe(count);
  });
});

describe('the associated data', () => {
  it('never is the same for two different places', () => {
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

describe('an envelope', () => {
  it('gives every field back in its own place', async () => {
    const envelope = await closeEnvelope(ring, place, secret);
    await expect(openEnvelope(ring, place, envelope)).resolves.toEqual(secret);
    expect(JSON.stringify(envelope)).not.toContain(secret.apiKey.slice(8, 16));
  });

  it.each([
    ['another account', { accountId: accountId.replace(/1$/, '2') }],
    ['another provider', { provider: 'mistral' }],
    ['another address', { baseUrl: 'https://elsewhere.example' }],
    ['an empty address instead of none', { baseUrl: '' }],
  ])('does not open in %s', async (_, elsewhere) => {
    const envelope = await closeEnvelope(ring, place, secret);
    await expect(openEnvelope(ring, { ...place, ...elsewhere }, envelope)).rejects.toThrow();
  });

  it('does not open when two of its fields, or those of two records, are swapped', async () => {
    const [one, other] = await Promise.all([
      closeEnvelope(ring, place, secret),
      closeEnvelope(ring, place, secret),
    ]);
    const { apiKey, region } = one.fields as { apiKey: string; region: string };
    const swapped: Envelope[] = [
      { ...one, fields: { apiKey: region, region: apiKey } },
      { ...one, fields: { ...one.fields, apiKey: other.fields['apiKey']! } },
      { ...one, wrappedDataKey: other.wrappedDataKey },
      { ...one, fields: { other: apiKey } },
    ];
    for (const envelope of swapped) await expect(openEnvelope(ring, place, envelope)).rejects.toThrow();
  });

  it('does not open after any single bit of its data key or of a field was flipped', async () => {
    const envelope = await closeEnvelope(ring, place, secret);
    for (const wrappedDataKey of flipEachBit(envelope.wrappedDataKey)) {
      await expect(openEnvelope(ring, place, { ...envelope, wrappedDataKey })).rejects.toThrow();
    }
    for (const flipped of flipEachBit(Buffer.from(envelope.fields['apiKey']!, 'base64'))) {
      const fields = { ...envelope.fields, apiKey: flipped.toString('base64') };
      await expect(openEnvelope(ring, place, { ...envelope, fields })).rejects.toThrow();
    }
  });

  it('does not open under another version of the key, nor under another key of that version', async () => {
    const envelope = await closeEnvelope(ring, place, secret);
    const two = new LocalKeyRing(new Map([1, 2].map((version) => [version, Buffer.alloc(32, 1)])));
    await expect(openEnvelope(two, place, { ...envelope, keyVersion: 2 })).rejects.toThrow();
    const other = new LocalKeyRing(new Map([[1, Buffer.alloc(32, 2)]]));
    await expect(openEnvelope(other, place, envelope)).rejects.toThrow();
    await expect(openEnvelope(ring, place, { ...envelope, keyVersion: 7 })).rejects.toThrow('version 7');
  });

  it('stays readable when a newer key is added, which closes what comes then', async () => {
    const before = await closeEnvelope(ring, place, secret);
    const grown = new LocalKeyRing(new Map([1, 2].map((version) => [version, Buffer.alloc(32, version)])));
    await expect(openEnvelope(grown, place, before)).resolves.toEqual(secret);
    expect((await closeEnvelope(grown, place, secret)).keyVersion).toBe(2);
  });
});

describe('a key ring', () => {
  const [one, two] = [Buffer.alloc(32, 1).toString('base64'), Buffer.alloc(32, 2).toString('base64')];

  it('gives replicas with the same keys the same sealing key, and another key another one', () => {
    const sealingKey = (text: string) => parseKeyRing(text).sealingKeyPairs[0]?.publicKey;
    expect(sealingKey(one)).toBe(sealingKey(`1:${one}`));
    expect(sealingKey(one)).not.toBe(sealingKey(two));
    expect(sealingKey(`1:${one}\n2:${two}\n`)).toBe(sealingKey(`2:${two},1:${one}`));
    expect(sealingKey(`1:${one},2:${two}`)).toBe(sealingKey(two));
  });

  it.each(['', 'abc', `0:${one}`, one.slice(4), `1:${one} 1:${two}`, `x:${one}`, `${one}=`])(
    'refuses %j',
    (text) => {
      expect(() => parseKeyRing(text)).toThrow(RangeError);
    },
  );
});
