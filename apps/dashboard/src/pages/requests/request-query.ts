import { requestStatuses, type RequestStatus } from '../../api/types.ts';
import type { RequestFilter } from '../../api/requests.ts';

/** The names of the filters in the address. */
export const filterNames = ['status', 'key_id', 'model', 'session_id', 'from', 'to'] as const;
export type FilterName = (typeof filterNames)[number];

/** Parses the filters of an address. Invalid values are ignored and not sent to the gateway. */
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

/** The value of an `<input type="datetime-local">` for a time, in the reader's time zone. */
export function toLocalInput(instant: string | undefined): string {
  if (instant === undefined || instant === '') return '';
  const date = new Date(instant);
  return new Date(date.getTime() - date.getTimezoneOffset() * 60_000).toISOString().slice(0, 16);
}

/** The RFC 3339 time of such a field. Empty if the field has no valid time. */
export function fromLocalInput(value: string): string {
  const timeMs = Date.parse(value);
  return Number.isNaN(timeMs) ? '' : new Date(timeMs).toISOString();
}
