import { requestStatuses, type RequestStatus } from '../../api/types.ts';
import type { RequestFilter } from '../../api/requests.ts';

/** The parts of a filter, as they stand in the address. */
export const filterNames = ['status', 'key_id', 'model', 'session_id', 'from', 'to'] as const;
export type FilterName = (typeof filterNames)[number];

/** The filter that an address asks for. What makes no sense is left out, rather than asked of the gateway. */
export function parseRequestQuery(params: URLSearchParams): RequestFilter {
  const filter: { -readonly [Name in FilterName]?: string } = {};
  for (const name of filterNames) {
    const value = params.get(name)?.trim() ?? '';
    if (value !== '' && isSound(name, value)) filter[name] = value;
  }
  return filter as RequestFilter;
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
      return value.length <= 256;
  }
}

/** What an `<input type="datetime-local">` shows of an instant, in the reader's zone. */
export function toLocalInput(instant: string | undefined): string {
  if (instant === undefined || instant === '') return '';
  const date = new Date(instant);
  return new Date(date.getTime() - date.getTimezoneOffset() * 60_000).toISOString().slice(0, 16);
}

/** The instant that such a field means; empty while it is none. */
export function fromLocalInput(value: string): string {
  const timeMs = Date.parse(value);
  return Number.isNaN(timeMs) ? '' : new Date(timeMs).toISOString();
}
