import { renderCanonical } from './run-once.ts';

describe('canonical JSON', () => {
  it('does not depend on the order of object members, even in nested objects', () => {
    const one = { b: [{ y: 1, x: null }], a: 'text', gone: undefined };
    const other = { a: 'text', b: [{ x: null, y: 1 }] };
    expect(renderCanonical(one)).toBe(renderCanonical(other));
    expect(renderCanonical(one)).toBe('{"a":"text","b":[{"x":null,"y":1}]}');
  });

  it.each([
    [{ a: 1 }, { a: '1' }],
    [{ a: [1, 2] }, { a: [2, 1] }],
    [{ a: null }, {}],
  ])('distinguishes %j from %j', (one, other) => {
    expect(renderCanonical(one)).not.toBe(renderCanonical(other));
  });
});
