import type { FastifyRequest } from 'fastify';
import { readIdempotencyKey } from './idempotency-key.ts';

const read = (headers: Record<string, string | string[]>) =>
  readIdempotencyKey({ headers } as unknown as FastifyRequest);

describe('the idempotency key of a request', () => {
  it('is hashed, regardless of the visible characters in the key', () => {
    expect(read({ 'idempotency-key': 'abc' })).toBe(
      'ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad',
    );
    expect(read({ 'idempotency-key': '"quoted"~!' })).not.toBe(read({ 'idempotency-key': 'quoted~!' }));
    expect(read({ 'idempotency-key': 'x'.repeat(255) })).toHaveLength(64);
  });

  it('is optional', () => {
    expect(read({})).toBeUndefined();
  });

  it.each(['', ' ', 'two words', 'tab\t', 'ü', 'x'.repeat(256), ['a', 'b']].map((key) => [key]))(
    'is rejected if it is %j',
    (key) => {
      expect(() => read({ 'idempotency-key': key })).toThrow(
        expect.objectContaining({ code: 'invalid_field', param: 'Idempotency-Key' }) as Error,
      );
    },
  );
});
