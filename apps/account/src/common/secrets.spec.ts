import { hashKey } from './secrets.ts';

describe('the stored hash of an API key', () => {
  const pepper = Buffer.alloc(32, 11);
  const sha256 = 'ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad';

  it('stays the same across releases, because a different hash would lock out every key', () => {
    expect(hashKey(pepper, sha256).toString('hex')).toBe(
      '1e18c60af672a9a88fc69f853427d3283774b9f9672a5f83833ea5a463a47ccf',
    );
  });

  it('depends on every bit of the pepper and of the key', () => {
    const hashes = new Set<string>();
    for (let bit = 0; bit < 256; bit++) {
      const otherPepper = Buffer.from(pepper);
      otherPepper[bit >> 3]! ^= 1 << (bit & 7);
      const otherKey = Buffer.from(sha256, 'hex');
      otherKey[bit >> 3]! ^= 1 << (bit & 7);
      hashes.add(hashKey(otherPepper, sha256).toString('hex'));
      hashes.add(hashKey(pepper, otherKey.toString('hex')).toString('hex'));
    }
    expect(hashes.size).toBe(512);
  });
});
