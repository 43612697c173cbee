import { createHash } from 'node:crypto';
import fc from 'fast-check';
import { BatchedHash } from './batched-hash.ts';

const long = 70_000;
const input = fc.oneof(
  fc.string({ unit: 'binary', maxLength: 40 }),
  fc.nat({ max: long }).map((length) => 'é'.repeat(length)),
  fc.uint8Array({ maxLength: 40 }).map((bytes) => Buffer.from(bytes)),
  fc.nat({ max: long }).map((length) => Buffer.alloc(length, 'x')),
);

describe('BatchedHash', () => {
  it('has the digest of SHA-256 over the same inputs, also if several hashes take turns and are copied', () => {
    const step = fc.tuple(fc.nat({ max: 2 }), input, fc.boolean());
    fc.assert(
      fc.property(fc.array(step, { maxLength: 30 }), (steps) => {
        const hashes = [0, 1, 2].map(() => new BatchedHash());
        const expected = [0, 1, 2].map(() => createHash('sha256'));
        for (const [at, value, copies] of steps) {
          if (typeof value === 'string') hashes[at]!.add(value);
          else hashes[at]!.addBytes(value);
          expected[at]!.update(value);
          if (!copies) continue;
          const copy = hashes[at]!.copy().add('end').digestText('hex');
          expect(copy).toBe(expected[at]!.copy().update('end').digest('hex'));
        }
        for (const [at, each] of hashes.entries())
          expect(at === 0 ? each.digest().toString('hex') : each.digestText('hex')).toBe(
            expected[at]!.digest('hex'),
          );
      }),
      { numRuns: 300 },
    );
  });

  it('adds a range of bytes', () => {
    const bytes = Buffer.from('0123456789');
    const expected = createHash('sha256').update('234').digest('base64url');
    expect(new BatchedHash().addBytes(bytes, 2, 5).digestText('base64url')).toBe(expected);
  });
});
