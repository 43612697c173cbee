import { hashIdempotencyKey, openReply, sealReply } from './reply-seal.ts';

const pepper = Buffer.alloc(32, 3);
const owner = { accountId: 'an-account', idempotencyKeySha256: 'ab'.repeat(32) };
const reply = Buffer.from('{"secret":"sk-svc-something"}');

describe('a stored, encrypted reply', () => {
  it('can be decrypted by its owner, and is unreadable before decryption', () => {
    const sealed = sealReply(pepper, owner, reply);
    expect(openReply(pepper, owner, sealed)).toEqual(reply);
    expect(sealed.includes('sk-svc')).toBe(false);
    expect(sealReply(pepper, owner, reply)).not.toEqual(sealed);
  });

  it.each([
    ['another account', pepper, { ...owner, accountId: 'another' }],
    ['another idempotency key', pepper, { ...owner, idempotencyKeySha256: 'ac'.repeat(32) }],
    ['another pepper', Buffer.alloc(32, 4), owner],
  ])('cannot be decrypted by %s', (_, otherPepper, otherOwner) => {
    const sealed = sealReply(pepper, owner, reply);
    expect(() => openReply(otherPepper, otherOwner, sealed)).toThrow();
  });

  it('cannot be decrypted after any single bit flip or truncation', () => {
    const sealed = sealReply(pepper, owner, reply);
    for (let bit = 0; bit < sealed.length * 8; bit++) {
      const flipped = Buffer.from(sealed);
      flipped[bit >> 3]! ^= 1 << (bit & 7);
      expect(() => openReply(pepper, owner, flipped)).toThrow();
    }
    for (let length = 0; length < sealed.length; length++)
      expect(() => openReply(pepper, owner, sealed.subarray(0, length))).toThrow();
  });

  it('is looked up by a hash of account, key and pepper that reveals neither the account nor the key', () => {
    const hashes = [
      hashIdempotencyKey(pepper, owner),
      hashIdempotencyKey(Buffer.alloc(32, 4), owner),
      hashIdempotencyKey(pepper, { ...owner, accountId: 'another' }),
      hashIdempotencyKey(pepper, { ...owner, idempotencyKeySha256: 'ac'.repeat(32) }),
    ];
    expect(new Set(hashes.map((hash) => hash.toString('hex'))).size).toBe(4);
  });
});
