import { findGrowth, listNewNames } from './growth.ts';

it('a tool set grows at a request that forwards more tools than every earlier request', () => {
  const requests = [0, 8, 8, 5, 9, 9].map((tools_out, at) => ({ id: String(at), tools_out }));
  expect(findGrowth(requests).map(({ id }) => id)).toEqual(['1', '4']);
  expect(findGrowth([])).toEqual([]);
});

it('returns the new names in each list of tool names, without duplicates', () => {
  expect(
    listNewNames([
      ['a', 'b'],
      ['b', 'a'],
      ['c', 'a', 'c'],
    ]),
  ).toEqual([['a', 'b'], [], ['c']]);
});
