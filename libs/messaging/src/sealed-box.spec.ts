import {
  createSealingKeyPair,
  openSealed,
  seal,
  sealingKeyPairFromSeed,
  SealedBoxError,
} from './sealed-box.ts';

const secret = Buffer.from('sk-a-provider-key-of-some-length');

describe('a sealed box', () => {
  const recipient = createSealingKeyPair();

  it.each([0, 1, 16, 65_536])('returns %i bytes to the owner of the private key', (length) => {
    const plaintext = Buffer.alloc(length, 7);
    expect(openSealed(seal(plaintext, recipient.publicKey), recipient.privateKey)).toEqual(plaintext);
  });

  it('is different every time and hides its content', () => {
    const boxes = new Set(Array.from({ length: 100 }, () => seal(secret, recipient.publicKey)));
    expect(boxes.size).toBe(100);
    for (const box of boxes) expect(Buffer.from(box, 'base64').includes(secret.subarray(0, 6))).toBe(false);
  });

  it('cannot be opened with another key', () => {
    const box = seal(secret, recipient.publicKey);
    expect(() => openSealed(box, createSealingKeyPair().privateKey)).toThrow(SealedBoxError);
  });

  it('cannot be opened if any single bit was flipped', () => {
    const box = Buffer.from(seal(secret, recipient.publicKey), 'base64');
    for (let bit = 0; bit < box.length * 8; bit++) {
      const tampered = Buffer.from(box);
      tampered[bit >> 3]! ^= 1 << (bit & 7);
      expect(() => openSealed(tampered.toString('base64'), recipient.privateKey)).toThrow(SealedBoxError);
    }
  });

  it('cannot be opened if truncated, extended or encoded differently', () => {
    const text = seal(secret.subarray(0, 3), recipient.publicKey);
    const bytes = Buffer.from(text, 'base64');
    const wrong = [
      ...Array.from({ length: bytes.length }, (_, length) => bytes.subarray(0, length).toString('base64')),
      Buffer.concat([bytes, Buffer.from([0])]).toString('base64'),
      ` ${text}`,
      `${text}\n`,
      text.replaceAll('+', '-').replaceAll('/', '_') + '-',
    ];
    for (const box of wrong) expect(() => openSealed(box, recipient.privateKey)).toThrow(SealedBoxError);
  });

  it('does not reveal why opening failed', () => {
    const box = Buffer.from(seal(secret, recipient.publicKey), 'base64');
    for (const wrong of ['', '!', box.subarray(0, 20).toString('base64')])
      expect(() => openSealed(wrong, recipient.privateKey)).toThrow('The sealed box cannot be opened.');
  });

  it.each([
    ['empty', ''],
    ['short', Buffer.alloc(31, 1).toString('base64')],
    ['not base64', 'not base64 at all'],
    ['the point of order one', Buffer.alloc(32).toString('base64')],
  ])('cannot be created for a public key that is %s', (_, publicKey) => {
    expect(() => seal(secret, publicKey)).toThrow();
  });
});

describe('a sealing key pair from a seed', () => {
  it('is the same for every replica with the same seed', () => {
    const [one, other] = [
      sealingKeyPairFromSeed(Buffer.alloc(32, 5)),
      sealingKeyPairFromSeed(Buffer.alloc(32, 5)),
    ];
    expect(one.publicKey).toBe(other.publicKey);
    expect(openSealed(seal(secret, one.publicKey), other.privateKey)).toEqual(secret);
  });

  it('matches the test vector of RFC 7748 §6.1', () => {
    const seed = Buffer.from('77076d0a7318a57d3c16c17251b26645df4c2f87ebc0992ab177fba51db92c2a', 'hex');
    const publicKey = Buffer.from('8520f0098930a754748b7ddcb43ef75a0dbf3a0d26381af4eba4a98eaa9b4e6a', 'hex');
    expect(Buffer.from(sealingKeyPairFromSeed(seed).publicKey, 'base64')).toEqual(publicKey);
  });

  it('rejects a seed with the wrong length', () => {
    expect(() => sealingKeyPairFromSeed(Buffer.alloc(31))).toThrow(RangeError);
  });
});
