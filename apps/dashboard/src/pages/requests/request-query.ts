import { requestStatuses, type RequestStatus } from '../../api/types.ts';
import type { RequestFilter, RequestOrder } from '../../api/requests.ts';

/** The names of the request log's filters in the address of the page. */
export const filterNames = ['search', 'status', 'key_id', 'model', 'session_id', 'from', 'to'] as const;
export type FilterName = (typeof filterNames)[number];

/** Parses the filters in the address of the page. Invalid filters are ignored, and are not sent to the gateway. */
export function parseRequestQuery(params: URLSearchParams): RequestFilter {
  const filter: { -readonly [Name in FilterName]?: string } = {};
  for (const name of filterNames) {
    const value = params.get(name)?.trim() ?? '';
    if (value !== '' && isSound(name, value)) filter[name] = value;
  }
  return filter as RequestFilter;
}

const sorts: readonly RequestOrder['sort'][] = ['created_at', 'cost_usd', 'duration'];

/** Parses the order in the address of the page. The default is the newest request first. */
export function parseRequestOrder(params: URLSearchParams): RequestOrder {
  const sort = sorts.find((name) => name === params.get('sort')) ?? 'created_at';
  return { sort, order: params.get('order') === 'asc' ? 'asc' : 'desc' };
}

const uuid = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i;

function isSound(name: FilterName, value: string): boolean {
  switch (name) {
    case 'status':
      return requestStatuses.includes(value as RequestStatus);
    case 'key_id':
      return uuid.test(value);
    case 'from':
    case 'to':
      return !Number.isNaN(Date.parse(value));
    case 'model':
      return value.length <= 512;
    case 'session_id':
      return value.length <= 1_024;
    case 'search':
      return value.length <= 200;
  }
}
