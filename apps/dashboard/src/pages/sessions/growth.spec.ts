import { findGrowth, listNewNames } from './growth.ts';

it('a set grows where more goes out than ever before', () => {
  const requests = [0, 8, 8, 5, 9, 9].map((tools_out, at) => ({ id: String(at), tools_out }));
  expect(findGrowth(requests).map(({ id }) => id)).toEqual(['1', '4']);
  expect(findGrowth([])).toEqual([]);
});

it('each list names what it has beyond those before it, once', () => {
  expect(
    listNewNames([
      ['a', 'b'],
      ['b', 'a'],
      ['c', 'a', 'c'],
    ]),
  ).toEqual([['a', 'b'], [], ['c']]);
});
