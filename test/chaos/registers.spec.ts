import { isLinearizable, type TimedAccess } from './registers.ts';

let count = 0;
const access = (
  action: 'read' | 'write',
  value: string | null,
  startMs: number,
  endMs: number,
): TimedAccess => ({ operation: `op-${(count += 1)}`, action, value, startMs, endMs });

const lost = (value: string | null, startMs: number): TimedAccess =>
  access('write', value, startMs, Infinity);

it.each<[string, TimedAccess[]]>([
  ['reads that follow the writes', [access('write', 'a', 0, 1), access('read', 'a', 2, 3)]],
  [
    'a read during a write, which returns the old or the new value',
    [access('write', 'a', 0, 10), access('read', null, 1, 2), access('read', 'a', 3, 4)],
  ],
  [
    'concurrent writes in any order',
    [access('write', 'a', 0, 10), access('write', 'b', 0, 10), access('read', 'a', 11, 12)],
  ],
  [
    'a write without a response that takes effect late',
    [lost('a', 0), access('write', 'b', 5, 6), access('read', 'b', 7, 8), access('read', 'a', 9, 10)],
  ],
  ['a write without a response that never takes effect', [lost('a', 0), access('read', null, 7, 8)]],
])('accepts %s', (_, accesses) => {
  expect(isLinearizable(accesses, null)).toBe(true);
});

it.each<[string, TimedAccess[]]>([
  ['a lost write', [access('write', 'a', 0, 1), access('read', null, 2, 3)]],
  [
    'an overwritten value that comes back',
    [
      access('write', 'a', 0, 1),
      access('write', 'b', 2, 3),
      access('read', 'b', 4, 5),
      access('read', 'a', 6, 7),
    ],
  ],
  [
    'two reads that see concurrent writes in different orders',
    [
      access('write', 'a', 0, 10),
      access('write', 'b', 0, 10),
      access('read', 'a', 11, 12),
      access('read', 'b', 13, 14),
    ],
  ],
  [
    'a deleted item that comes back',
    [access('write', 'a', 0, 1), access('write', null, 2, 3), access('read', 'a', 4, 5)],
  ],
  ['a value that no operation wrote', [access('read', 'x', 0, 1)]],
  ['a write that takes effect before its start', [access('read', 'a', 0, 1), access('write', 'a', 2, 3)]],
])('rejects %s', (_, accesses) => {
  expect(isLinearizable(accesses, null)).toBe(false);
});

it('decides a history of 400 accesses by four clients', () => {
  const accesses = Array.from({ length: 400 }, (_, at) => {
    const slot = Math.floor(at / 4);
    return at % 4 === 3
      ? access('read', `${slot}-0`, slot * 10, slot * 10 + 9)
      : access('write', `${slot}-${at % 4}`, slot * 10, slot * 10 + 9);
  });
  expect(isLinearizable(accesses, null)).toBe(true);
});
