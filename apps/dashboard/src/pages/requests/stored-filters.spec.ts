import { addFilter, describeFilter, filterAddress, readFilters, writeFilters } from './stored-filters.ts';

/** A storage like the browser's, for one test. */
function openStorage() {
  const values = new Map<string, string>();
  return {
    getItem: (key: string) => values.get(key) ?? null,
    setItem: (key: string, value: string) => void values.set(key, value),
  };
}
const failed = { status: 'error', search: 'a b' } as const;

it('saved filters belong to one account', () => {
  const storage = openStorage();
  writeFilters(storage, 'one', [failed]);
  expect(readFilters(storage, 'one')).toEqual([failed]);
  expect(readFilters(storage, 'other')).toEqual([]);
});

it('the newest filter comes first, and an equal filter is not saved twice', () => {
  const other = { model: 'm' };
  expect(addFilter([other, failed], { search: 'a b', status: 'error' })).toEqual([failed, other]);
});

it.each(['not json', '{}', '[1, ["status=error"], "", "status=odd"]'])(
  'a stored text that is not a list of filters is ignored: %s',
  (text) => {
    const storage = openStorage();
    storage.setItem('svc-request-filters:one', text);
    expect(readFilters(storage, 'one')).toEqual([]);
  },
);

it('a filter has a description and an address', () => {
  expect(describeFilter(failed)).toBe('text a b, status error');
  expect(filterAddress(failed)).toBe('/requests?search=a+b&status=error');
});
