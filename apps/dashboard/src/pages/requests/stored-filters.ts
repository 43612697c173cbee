import type { RequestFilter } from '../../api/requests.ts';
import { filterNames, parseRequestQuery, type FilterName } from './request-query.ts';

/** The maximum number of saved filters. */
const filtersMax = 30;
const keyOf = (accountId: string) => `svc-request-filters:${accountId}`;

/** Reads the saved filters of an account. Entries that cannot be read are ignored. */
export function readFilters(storage: Pick<Storage, 'getItem'>, accountId: string): readonly RequestFilter[] {
  let stored: unknown;
  try {
    stored = JSON.parse(storage.getItem(keyOf(accountId)) ?? '[]');
  } catch {
    return [];
  }
  if (!Array.isArray(stored)) return [];
  const filters = stored
    .filter((query) => typeof query === 'string')
    .map((query) => parseRequestQuery(new URLSearchParams(query)));
  return filters.filter((filter) => Object.keys(filter).length > 0);
}

/** Stores the filters as query strings. */
export function writeFilters(
  storage: Pick<Storage, 'setItem'>,
  accountId: string,
  filters: readonly RequestFilter[],
): void {
  storage.setItem(keyOf(accountId), JSON.stringify(filters.map(renderQuery)));
}

/** Adds a filter at the start of the list. An equal filter is not stored twice. */
export function addFilter(filters: readonly RequestFilter[], added: RequestFilter): readonly RequestFilter[] {
  const others = filters.filter((filter) => renderQuery(filter) !== renderQuery(added));
  return [added, ...others].slice(0, filtersMax);
}

const labels: Readonly<Partial<Record<FilterName, string>>> = {
  ...{ search: 'text', key_id: 'key', session_id: 'session', to: 'before' },
};

/** Describes a filter in the menu, for example `status error, model gpt-5`. */
export function describeFilter(filter: RequestFilter): string {
  return filterNames
    .filter((name) => filter[name] !== undefined)
    .map((name) => `${labels[name] ?? name} ${filter[name] ?? ''}`)
    .join(', ');
}

/** The address of the request log with these filters. */
export function filterAddress(filter: RequestFilter): string {
  return `/requests?${renderQuery(filter)}`;
}

function renderQuery(filter: RequestFilter): string {
  const query = new URLSearchParams();
  for (const name of filterNames) {
    const value = filter[name];
    if (value !== undefined) query.set(name, value);
  }
  return query.toString();
}
